package dev.postrider.internal.store;

import dev.postrider.OutboxStatus;
import dev.postrider.internal.store.OutboxStore.Backlog;
import java.sql.Connection;
import java.sql.SQLException;

/** What people and alerts ask about an outbox; one implementation per mode. Changes nothing. */
public interface StatusStore {

    OutboxStatus status(Connection connection) throws SQLException;

    /** What waits to be sent; counting stops at the cap. */
    Backlog backlog(Connection connection, int cap) throws SQLException;

    /** Events that wait for their retry; counting stops at the cap. */
    long countFailed(Connection connection, int cap) throws SQLException;
}
