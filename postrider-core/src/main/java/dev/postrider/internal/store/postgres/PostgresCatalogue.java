package dev.postrider.internal.store.postgres;

import dev.postrider.internal.store.jdbc.Catalogue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The catalogue of a PostgreSQL server. */
final class PostgresCatalogue implements Catalogue {
    private static final String COLUMNS = """
            select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
                   a.attnotnull and not a.atthasdef and a.attidentity = '' as must_be_given
            from pg_attribute a
            where a.attrelid = to_regclass(?) and a.attnum > 0 and not a.attisdropped
            order by a.attnum
            """;

    private static final String INDEXES = """
            select c.relname as name, i.indisprimary as is_primary, i.indisvalid and i.indisready as valid,
                   i.indexrelid::regclass::text as sql
            from pg_index i join pg_class c on c.oid = i.indexrelid
            where i.indrelid = to_regclass(?)
            """;

    @Override
    public Map<String, Column> columns(Connection connection, String table) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(COLUMNS)) {
            select.setString(1, table);
            Map<String, Column> columns = new LinkedHashMap<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    columns.put(
                            row.getString("name"), new Column(row.getString("type"), row.getBoolean("must_be_given")));
                }
            }
            return columns;
        }
    }

    @Override
    public List<Index> indexes(Connection connection, String table) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(INDEXES)) {
            select.setString(1, table);
            List<Index> indexes = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    indexes.add(new Index(
                            row.getString("name"),
                            row.getBoolean("is_primary"),
                            row.getBoolean("valid"),
                            row.getString("sql")));
                }
            }
            return indexes;
        }
    }

    @Override
    public String typeOf(String type) {
        return type.equals("timestamptz") ? "timestamp with time zone" : type;
    }
}
