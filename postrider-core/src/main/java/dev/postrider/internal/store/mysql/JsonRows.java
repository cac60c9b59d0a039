package dev.postrider.internal.store.mysql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Many rows as one parameter of a statement: an array of arrays. */
final class JsonRows {
    private JsonRows() {}

    static <T> String of(Collection<? extends T> rows, Function<T, List<? extends @Nullable Object>> values) {
        return write(rows.stream().map(values).toList());
    }

    static String ofIds(Collection<?> ids) {
        return of(ids, List::of);
    }

    /** Values that are not enclosed in a row of their own; null if there are none. */
    static @Nullable String ofValues(Collection<?> values) {
        return values.isEmpty() ? null : write(new ArrayList<>(values));
    }

    private static String write(List<?> rows) {
        return JsonMapper.shared().writeValueAsString(rows);
    }
}
