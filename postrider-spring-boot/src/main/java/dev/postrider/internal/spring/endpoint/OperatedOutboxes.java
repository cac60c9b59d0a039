package dev.postrider.internal.spring.endpoint;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All outboxes of the application. */
public final class OperatedOutboxes {
    private final Map<String, OperatedOutbox> byName = new LinkedHashMap<>();
    private final OperatedOutbox main;

    /**
     * @param further beside the main one
     */
    public OperatedOutboxes(OperatedOutbox main, List<OperatedOutbox> further) {
        this.main = main;
        byName.put(main.name(), main);
        further.forEach(outbox -> byName.put(outbox.name(), outbox));
    }

    /**
     * @param name null for the main one
     * @throws RefusedException if there is no such outbox
     */
    OperatedOutbox find(@Nullable String name) {
        String wanted = Parameters.text(name);
        OperatedOutbox found = wanted == null ? main : byName.get(wanted);
        if (found == null) {
            throw RefusedException.badRequest("There is no such outbox; there are " + String.join(", ", byName.keySet())
                    + ". Nothing was changed.");
        }
        return found;
    }

    /** Their names; null if there is only one, which needs none. */
    @Nullable
    List<String> names() {
        return byName.size() == 1 ? null : List.copyOf(byName.keySet());
    }
}
