package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;

/** What differs in the tables of outboxes on PostgreSQL, by what was decided for them. */
final class PostgresLayoutSql {
    private PostgresLayoutSql() {}

    /**
     * The shard of a row. The number of shards stands in the text, so that the planner recognises the index;
     * the mask makes a negative hash positive.
     */
    static String shardOf(String alias, int shards) {
        return "((" + alias + "key_hash & 9223372036854775807) % " + shards + ")";
    }

    /** Run once, after the tables have been created. */
    static String create(OutboxTable table, OutboxLayout layout) {
        String statements = layout.mode() == OutboxMode.LOG ? NEW_LOG + LOG_INDEX + LOG_ROWS : CLAIM_INDEXES;
        return forLayout(table, layout, statements + SETTINGS);
    }

    static String forLayout(OutboxTable table, OutboxLayout layout, String statements) {
        return PostgresSql.forTable(table, statements)
                .replace("{strange_to_log}", STRANGE_TO_LOG)
                .replace("{strange_to_claims}", STRANGE_TO_CLAIMS)
                .replace("{log_row}", logRow(table))
                .replace("{name}", table.name())
                .replace("{mode}", layout.mode().label())
                .replace("{shards}", Integer.toString(layout.shards()))
                .replace("{delivery}", layout.delivery().label())
                .replace("{shard}", shardOf("", layout.shards()));
    }

    /** The function that makes a row one of the log, in the schema of its table. */
    static String logRow(OutboxTable table) {
        String quoted = table.sql();
        return quoted.substring(0, quoted.length() - 1) + "_log_row\"";
    }

    /** A snapshot that sees nothing: everything is still to be read. */
    private static final String NEW_LOG = """
            insert into {cursor} (shard, seq, lo, owner, system_id, timeline)
            select shard, 0, '3:3:', 'created', (select system_identifier from pg_control_system()),
                   ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer
            from generate_series(0, {shards} - 1) as shard;

            """;

    /** The rows of each shard, in the order in which they were written; and those that relays do not look at: none, usually. */
    static final String LOG_INDEX = """
            create index {name}_shard on {outbox} ({shard}, id)
                where status = 'LOG';

            create index {name}_not_log on {outbox} (id)
                where {strange_to_log};

            """;

    /** Rows that relays in log mode do not look at. Published ones and dead letters are of the time before it was a log. */
    static final String STRANGE_TO_LOG = "status not in ('LOG', 'PUBLISHED', 'DEAD_LETTER')";

    /** Rows that relays in claim mode do not look at. The status of most rows stands first. */
    static final String STRANGE_TO_CLAIMS =
            "status not in ('PUBLISHED', 'PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')";

    /**
     * A log is read by the transactions that wrote it, so that a row which names another one, or a status of claim mode, would
     * never be met. Whatever a writer says, a new row is of its own transaction and of the log. Rows that say nothing cost a
     * comparison. The statements of a script are told apart by semicolons, which is why those of the function are escaped.
     */
    static final String LOG_ROWS = """
            create or replace function {log_row}() returns trigger language plpgsql as
                E'begin new.status := ''LOG''\\x3b new.tx_id := pg_current_xact_id()\\x3b return new\\x3b end';

            create trigger {name}_log_row before insert on {outbox}
                for each row when (new.status <> 'LOG' or new.tx_id <> pg_current_xact_id())
                execute function {log_row}();

            """;

    static final String NO_LOG_ROWS = """
            drop trigger if exists {name}_log_row on {outbox};

            drop function if exists {log_row}();

            """;

    /**
     * What is still to be sent: first what is due at once, by id, then by due time. Relays claim from it. And the
     * events of one key that may hold back others, in order. And rows that relays do not look at: none, usually.
     */
    static final String CLAIM_INDEXES = """
            create index {name}_due on {outbox} (next_attempt_at nulls first, id)
                where status in ('PENDING', 'FAILED');

            create index {name}_key on {outbox} (key_hash, id)
                where status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER');

            create index {name}_not_claimed on {outbox} (id)
                where {strange_to_claims};

            """;

    /** Last: with the version the outbox is complete. */
    private static final String SETTINGS = """
            insert into {settings} (name, value) values
                ('mode', '{mode}'), ('shards', '{shards}'), ('delivery', '{delivery}'),
                ('schema_version', '{schema_version}');
            """;
}
