package dev.postrider.internal.store.jdbc;

import dev.postrider.DatabaseFamily;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares the tables of a database with those that the scripts make. */
public final class TableShape {
    private static final String ON_POSTGRES = """
            select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
                   a.attnotnull and not a.atthasdef and a.attidentity = '' as must_be_given
            from pg_attribute a
            where a.attrelid = to_regclass(?) and a.attnum > 0 and not a.attisdropped
            order by a.attnum
            """;

    /** A table without a schema is in the connection's own. */
    private static final String ON_MYSQL = """
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

    private static final String INDEX_ON_MYSQL = """
            select 1 from information_schema.statistics
            where table_schema = coalesce(nullif(?, ''), database()) and table_name = ? and index_name = ?
            limit 1
            """;

    /** The types of the scripts that a catalogue calls otherwise. */
    private static final Map<String, String> NAMES_IN_CATALOGUES =
            Map.of("timestamptz", "timestamp with time zone", "integer on mysql", "int", "boolean on mysql", "tinyint");

    private final Connection connection;
    private final DatabaseFamily family;

    public TableShape(Connection connection, DatabaseFamily family) {
        this.connection = connection;
        this.family = family;
    }

    private record Found(String type, boolean mustBeGiven) {}

    /**
     * @param table as {@link ExpectedSchema} names it
     */
    public boolean exists(String table) throws SQLException {
        return !columns(table).isEmpty();
    }

    /** On MariaDB and MySQL. */
    boolean hasIndex(ExpectedSchema.Index index) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(INDEX_ON_MYSQL)) {
            select.setString(1, schema(index.table()));
            select.setString(2, name(index.table()));
            select.setString(3, index.name());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    boolean hasColumn(String table, String column) throws SQLException {
        return columns(table).containsKey(column);
    }

    /**
     * What is not as the scripts make it, each as part of a sentence. Further columns are nobody's business as long as rows
     * can be written without them.
     */
    public List<String> changes(ExpectedSchema.Table expected) throws SQLException {
        Map<String, Found> found = columns(expected.sql());
        List<String> changes = new ArrayList<>();
        for (ExpectedSchema.Column column : expected.columns()) {
            Found actual = found.remove(column.name());
            if (actual == null) {
                changes.add("column " + column.name() + " is missing");
            } else if (!actual.type().equals(inCatalogue(column.type()))) {
                changes.add("column " + column.name() + " is " + actual.type() + " instead of " + column.type());
            }
        }
        found.forEach((name, column) -> {
            if (column.mustBeGiven()) {
                changes.add("column " + name + " is not one of Postrider's and must not be null, so that nothing can be"
                        + " written without it");
            }
        });
        return changes;
    }

    private String inCatalogue(String type) {
        String here = family == DatabaseFamily.MYSQL ? type + " on mysql" : type;
        return NAMES_IN_CATALOGUES.getOrDefault(here, type);
    }

    private Map<String, Found> columns(String table) throws SQLException {
        boolean mysql = family == DatabaseFamily.MYSQL;
        try (PreparedStatement select = connection.prepareStatement(mysql ? ON_MYSQL : ON_POSTGRES)) {
            if (mysql) {
                select.setString(1, schema(table));
                select.setString(2, name(table));
            } else {
                select.setString(1, table);
            }
            Map<String, Found> columns = new LinkedHashMap<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    columns.put(
                            row.getString("name"), new Found(row.getString("type"), row.getBoolean("must_be_given")));
                }
            }
            return columns;
        }
    }

    private static String schema(String table) {
        int dot = table.indexOf('.');
        return dot < 0 ? "" : table.substring(0, dot).replace("`", "");
    }

    private static String name(String table) {
        return table.substring(table.indexOf('.') + 1).replace("`", "");
    }
}
