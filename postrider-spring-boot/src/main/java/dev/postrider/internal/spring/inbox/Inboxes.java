package dev.postrider.internal.spring.inbox;

import dev.postrider.CurrentTransaction;
import dev.postrider.Inbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The inboxes of all consumers of this application, in one table and in the caller's transaction. Any thread. */
public final class Inboxes {
    private final Inbox standard;
    private final String table;
    private final CurrentTransaction transaction;
    private final Map<String, Inbox> byConsumer = new ConcurrentHashMap<>();

    /**
     * @param standard of who names no consumer
     */
    public Inboxes(Inbox standard, String table, CurrentTransaction transaction) {
        this.standard = standard;
        this.table = table;
        this.transaction = transaction;
    }

    /**
     * @param consumer empty for the standard one
     */
    public Inbox of(String consumer) {
        return consumer.isEmpty()
                ? standard
                : byConsumer.computeIfAbsent(
                        consumer, name -> Inbox.of(name, table).with(transaction));
    }

    /** Those that somebody has asked for, and the standard one. */
    public List<Inbox> all() {
        List<Inbox> all = new ArrayList<>(byConsumer.values());
        all.add(standard);
        return all;
    }
}
