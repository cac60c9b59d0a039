package dev.postrider.tests.support;

import com.zaxxer.hikari.HikariConfig;
import dev.postrider.DatabaseFamily;
import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * A database server of the test run. Tests that hold on both say their SQL in words that both understand: intervals as
 * {@code interval '1' hour}, and conditions as {@code case when .. then 'yes' end}.
 */
public enum TestServer {
    POSTGRES {
        @Override
        TestDatabase emptyDatabase(String name) {
            return emptyOn(DevPostgres.shared(), name);
        }

        @Override
        List<String> clear() {
            return List.of("truncate outbox, outbox_dead_letter, outbox_audit restart identity; truncate outbox_lease");
        }

        @Override
        public void nextId(TestDatabase database, long id) {
            database.execute("alter table outbox alter column id restart with " + id);
        }

        @Override
        public int waiting(TestDatabase database) {
            return Integer.parseInt(database.one("select count(*) from pg_locks where not granted"));
        }

        @Override
        public void lock(Connection connection, String table) throws SQLException {
            execute(connection, "lock table " + table + " in access exclusive mode");
        }

        @Override
        public void unlock(Connection connection) throws SQLException {
            connection.rollback();
        }
    },
    MARIADB {
        @Override
        TestDatabase emptyDatabase(String name) {
            DevMariaDb server = DevMariaDb.shared();
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(server.createDatabase(name));
            config.setUsername(server.user());
            config.setPassword(server.password());
            // As in PostgreSQL, strings can be joined by ||.
            config.addDataSourceProperty(
                    "sessionVariables", "innodb_lock_wait_timeout=60,sql_mode='PIPES_AS_CONCAT,STRICT_TRANS_TABLES'");
            return new TestDatabase(this, config);
        }

        @Override
        List<String> clear() {
            // Truncating would make new files.
            return List.of(
                    "delete from outbox",
                    "alter table outbox auto_increment = 1",
                    "delete from outbox_dead_letter",
                    "delete from outbox_audit",
                    "delete from outbox_lease");
        }

        @Override
        public void nextId(TestDatabase database, long id) {
            database.execute("alter table outbox auto_increment = " + id);
        }

        @Override
        public int waiting(TestDatabase database) {
            return Integer.parseInt(
                    database.one("select count(*) from information_schema.innodb_trx where trx_state = 'LOCK WAIT'"));
        }

        @Override
        public void lock(Connection connection, String table) throws SQLException {
            execute(connection, "lock tables " + table + " write");
        }

        @Override
        public void unlock(Connection connection) throws SQLException {
            execute(connection, "unlock tables");
        }
    };

    private static final String ROW =
            "concat_ws('|', id, event_id, event_type, aggregate_type, aggregate_id, event_key,"
                    + " payload, content_type, request_id, content_hash, occurred_at, created_at, updated_at, published_at, status,"
                    + " attempts, max_retries, first_failed_at, claims, abandoned, next_attempt_at, locked_by, locked_at, version,"
                    + " last_error)";

    public DatabaseFamily family() {
        return this == POSTGRES ? DatabaseFamily.POSTGRESQL : DatabaseFamily.MYSQL;
    }

    /** A table with the column {@code n}. */
    public String numbers(int from, int to) {
        return this == POSTGRES
                ? "generate_series(" + from + ", " + to + ") as numbers(n)"
                : "(select seq as n from seq_" + from + "_to_" + to + ") numbers";
    }

    /** A moment that long ago, and {@code n} microseconds later. */
    public String ago(Duration time) {
        return this == POSTGRES
                ? "now() - interval '" + time.toSeconds() + "' second + n * interval '1 microsecond'"
                : "now(6) - interval " + time.toSeconds() + " second + interval n microsecond";
    }

    public String time(String utc) {
        return this == POSTGRES
                ? "timestamptz '" + utc + "'"
                : "'" + utc.replace("T", " ").replace("Z", "") + "'";
    }

    /** Of the connection, as an expression. */
    public String currentSchema() {
        return this == POSTGRES ? "current_schema()" : "database()";
    }

    /** Selects what indexes there are on the tables that every outbox has. */
    public String indexes() {
        String tables = "('outbox', 'outbox_lease', 'outbox_settings')";
        return this == POSTGRES
                ? "select indexdef from pg_indexes where schemaname = 'public' and tablename in " + tables
                        + " order by 1"
                : "select concat_ws('|', table_name, index_name, seq_in_index, column_name, non_unique)"
                        + " from information_schema.statistics where table_schema = database() and table_name in "
                        + tables + " order by 1";
    }

    /** A name in statements. */
    public String quoted(String name) {
        return this == POSTGRES ? '"' + name + '"' : '`' + name + '`';
    }

    /** Selects every row of the outbox as one text, to see whether any has changed. */
    public String wholeRows() {
        return "select " + ROW + " from outbox order by id";
    }

    abstract TestDatabase emptyDatabase(String name);

    abstract List<String> clear();

    /** The id of the next event that is written; higher than all there are. */
    public abstract void nextId(TestDatabase database, long id);

    /** How many statements wait for a lock. */
    public abstract int waiting(TestDatabase database);

    /** As maintenance does: nobody else can use the table until the connection unlocks it. */
    public abstract void lock(Connection connection, String table) throws SQLException;

    public abstract void unlock(Connection connection) throws SQLException;

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static TestDatabase emptyOn(DevPostgres server, String name) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.createDatabase(name));
        config.setUsername(server.user());
        config.setPassword(server.password());
        // A test that forgets a transaction fails instead of hanging.
        config.addDataSourceProperty("options", "-c lock_timeout=60s");
        return new TestDatabase(POSTGRES, config);
    }
}
