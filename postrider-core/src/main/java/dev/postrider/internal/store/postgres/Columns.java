package dev.postrider.internal.store.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Many rows as array parameters of one statement. */
final class Columns {
    private Columns() {}

    /** The values of one array parameter, and the SQL type of its elements. */
    record Column(String type, @Nullable Object[] values) {}

    static <T> Column column(String type, Collection<? extends T> of, Function<T, @Nullable Object> value) {
        return new Column(type, of.stream().map(value).toArray());
    }

    static Column longs(Collection<Long> values) {
        return new Column("bigint", values.toArray());
    }

    static Column integers(Collection<Integer> values) {
        return new Column("integer", values.toArray());
    }

    static void bind(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] instanceof Column column) {
                statement.setArray(i + 1, statement.getConnection().createArrayOf(column.type(), column.values()));
            } else {
                statement.setObject(i + 1, parameters[i]);
            }
        }
    }
}
