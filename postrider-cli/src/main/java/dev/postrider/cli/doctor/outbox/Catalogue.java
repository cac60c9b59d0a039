package dev.postrider.cli.doctor.outbox;

import dev.postrider.DatabaseFamily;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.internal.store.jdbc.ExpectedSchema;
import java.sql.SQLException;
import java.util.List;

/** What a database says of its indexes. Tables are named as in {@link ExpectedSchema}. */
interface Catalogue {

    List<FoundIndex> indexes(String table) throws SQLException;

    /**
     * An index as it is.
     *
     * @param sql its name in statements
     */
    record FoundIndex(String name, boolean isPrimary, boolean valid, String sql) {}

    static Catalogue of(DatabaseSession session) {
        return session.family() == DatabaseFamily.MYSQL ? new MySql(session) : new Postgres(session);
    }

    /** A name as the family quotes it. */
    static String quoted(DatabaseFamily family, String name) {
        return family == DatabaseFamily.MYSQL ? name.replace('"', '`') : name;
    }

    /** PostgreSQL. */
    record Postgres(DatabaseSession session) implements Catalogue {
        private static final String INDEXES = """
                select c.relname as name, i.indisprimary as is_primary, i.indisvalid and i.indisready as valid,
                       i.indexrelid::regclass::text as sql
                from pg_index i join pg_class c on c.oid = i.indexrelid
                where i.indrelid = to_regclass(?)
                """;

        @Override
        public List<FoundIndex> indexes(String table) throws SQLException {
            return session.list(
                    INDEXES,
                    row -> new FoundIndex(
                            row.getString("name"),
                            row.getBoolean("is_primary"),
                            row.getBoolean("valid"),
                            row.getString("sql")),
                    table);
        }
    }

    /** MariaDB and MySQL. A table without a schema is in the connection's own. */
    record MySql(DatabaseSession session) implements Catalogue {
        private static final String INDEXES = """
                select distinct index_name as name from information_schema.statistics
                where table_schema = coalesce(nullif(?, ''), database()) and table_name = ?
                """;

        @Override
        public List<FoundIndex> indexes(String table) throws SQLException {
            return session.list(
                    INDEXES,
                    row -> {
                        String name = row.getString("name");
                        return new FoundIndex(name, name.equals("PRIMARY"), true, name);
                    },
                    schema(table),
                    name(table));
        }

        private static String schema(String table) {
            int dot = table.indexOf('.');
            return dot < 0 ? "" : table.substring(0, dot).replace("`", "");
        }

        private static String name(String table) {
            return table.substring(table.indexOf('.') + 1).replace("`", "");
        }
    }
}
