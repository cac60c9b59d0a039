package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;

/** Writes events on the caller's connection. The parameters are the same for every family of databases. */
public final class EventInserts {
    private final String statement;
    private final ContentHash hash;
    private final Times times;

    public EventInserts(String statement, ContentHash hash, Times times) {
        this.statement = statement;
        this.hash = hash;
        this.times = times;
    }

    public void insert(Connection connection, Collection<OutboxEvent> events) throws SQLException {
        if (events.size() == 1) {
            insertOne(connection, statement, events.iterator().next());
            return;
        }
        try (PreparedStatement insert = connection.prepareStatement(statement)) {
            for (OutboxEvent event : events) {
                bind(insert, event);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /**
     * @param once the statement, or one like it that leaves out what is there already
     * @return how many rows were written
     */
    public int insertOne(Connection connection, String once, OutboxEvent event) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(once)) {
            bind(insert, event);
            return insert.executeUpdate();
        }
    }

    private void bind(PreparedStatement insert, OutboxEvent event) throws SQLException {
        boolean json = event.payload().isJson();
        insert.setString(1, event.id().toString());
        insert.setString(2, event.type());
        insert.setString(3, event.aggregateType());
        insert.setString(4, event.aggregateId());
        insert.setString(5, event.key());
        insert.setString(6, event.source());
        insert.setString(7, json ? event.payload().text() : null);
        insert.setBytes(8, json ? null : event.payload().bytes());
        insert.setString(9, event.payload().contentType());
        insert.setString(10, HeaderJson.write(event.headers()));
        insert.setString(11, event.requestId());
        insert.setString(12, hash.of(event));
        times.bind(insert, 13, event.occurredAt());
        times.bind(insert, 14, event.deliverAfter());
        insert.setObject(15, event.maxRetries(), Types.INTEGER);
    }
}
