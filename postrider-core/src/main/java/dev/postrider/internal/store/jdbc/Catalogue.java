package dev.postrider.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** What a database says of its tables. They are named as in {@link ExpectedSchema}. */
public interface Catalogue {

    /**
     * @param type as the catalogue says it
     * @param mustBeGiven whether no row can be written without it
     */
    record Column(String type, boolean mustBeGiven) {}

    /** By name, in their order, for the caller to change; empty if there is no such table. */
    Map<String, Column> columns(Connection connection, String table) throws SQLException;

    /**
     * An index as it is.
     *
     * @param sql its name in statements
     */
    record Index(String name, boolean isPrimary, boolean valid, String sql) {}

    List<Index> indexes(Connection connection, String table) throws SQLException;

    /**
     * @param type as the scripts say it
     * @return as the catalogue says it
     */
    String typeOf(String type);
}
