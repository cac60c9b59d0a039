package dev.postrider.internal.store.mysql;

import dev.postrider.internal.store.jdbc.Catalogue;
import dev.postrider.internal.store.jdbc.ExpectedSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The catalogue of a MariaDB or MySQL server. A table without a schema is in the connection's own. */
final class MySqlCatalogue implements Catalogue {
    private static final String COLUMNS = """
            select column_name as name,
                   case when data_type in ('char', 'varchar', 'varbinary')
                        then concat(data_type, '(', character_maximum_length, ')')
                        when data_type = 'datetime' then concat(data_type, '(', datetime_precision, ')')
                        else data_type end as type,
                   is_nullable = 'NO' and column_default is null and extra not like '%auto_increment%'
                        and extra not like '%GENERATED%' as must_be_given
            from information_schema.columns
            where table_schema = coalesce(nullif(?, ''), database()) and table_name = ?
            order by ordinal_position
            """;

    private static final String INDEXES = """
            select distinct index_name as name from information_schema.statistics
            where table_schema = coalesce(nullif(?, ''), database()) and table_name = ?
            """;

    private static final String INDEX = """
            select 1 from information_schema.statistics
            where table_schema = coalesce(nullif(?, ''), database()) and table_name = ? and index_name = ?
            limit 1
            """;

    /** The types of the scripts that the catalogue calls otherwise. */
    private static final Map<String, String> TYPES = Map.of("integer", "int", "boolean", "tinyint");

    @Override
    public Map<String, Column> columns(Connection connection, String table) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(COLUMNS)) {
            select.setString(1, schema(table));
            select.setString(2, name(table));
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
            select.setString(1, schema(table));
            select.setString(2, name(table));
            List<Index> indexes = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    String name = row.getString("name");
                    indexes.add(new Index(name, name.equals("PRIMARY"), true, name));
                }
            }
            return indexes;
        }
    }

    boolean hasIndex(Connection connection, ExpectedSchema.Index index) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(INDEX)) {
            select.setString(1, schema(index.table()));
            select.setString(2, name(index.table()));
            select.setString(3, index.name());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    @Override
    public String typeOf(String type) {
        return TYPES.getOrDefault(type, type);
    }

    private static String schema(String table) {
        int dot = table.indexOf('.');
        return dot < 0 ? "" : table.substring(0, dot).replace("`", "");
    }

    private static String name(String table) {
        return table.substring(table.indexOf('.') + 1).replace("`", "");
    }
}
