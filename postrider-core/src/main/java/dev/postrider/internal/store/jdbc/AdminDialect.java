package dev.postrider.internal.store.jdbc;

import dev.postrider.admin.Discarded;
import dev.postrider.admin.Retried;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What operators' work needs of a family of databases beside statements of the same form. */
public interface AdminDialect {

    Times times();

    /** Nothing if the list is empty: the condition was not given. */
    void bindIds(PreparedStatement statement, int index, List<Long> ids) throws SQLException;

    /** As {@link #bindIds}. */
    void bindEventIds(PreparedStatement statement, int index, List<UUID> ids) throws SQLException;

    /** At the begin of a transaction, in which every statement sees what had committed before it; waits for others. */
    void beginChange(Connection connection) throws SQLException;

    /** For this transaction: pages are read along the indexes, in the order of ids. */
    void walkAlongIndexes(Connection connection) throws SQLException;

    /**
     * @param chosen locked letters, or dead rows without one
     * @param hashes of those of them whose changes are accepted
     */
    Retried retry(Connection connection, List<Long> chosen, Map<Long, String> hashes, String actor) throws SQLException;

    Discarded discard(Connection connection, List<Long> chosen, String actor) throws SQLException;
}
