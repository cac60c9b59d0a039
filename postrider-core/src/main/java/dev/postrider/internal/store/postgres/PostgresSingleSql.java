package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.jdbc.JdbcSingleRows;
import java.util.List;

/** The statements about single rows of a claim-mode outbox on PostgreSQL, for one table. */
final class PostgresSingleSql {
    private PostgresSingleSql() {}

    static JdbcSingleRows.Words of(OutboxTable table) {
        List<JdbcSingleRows.Column> columns = COLUMNS.stream()
                .map(column -> new JdbcSingleRows.Column(
                        column, PostgresSql.forTable(table, READ_COLUMN).replace("{column}", column)))
                .toList();
        return new JdbcSingleRows.Words(
                PostgresSql.forTable(table, FIRST_READY),
                PostgresSql.forTable(table, FIRST_DUE),
                PostgresSql.forTable(table, FIRST_SUSPECT),
                PostgresSql.forTable(table, CLAIM),
                PostgresSql.forTable(table, HOLD),
                CHECK_DEFERRED,
                PostgresSizeSql.in(PostgresSql.forTable(table, READ)),
                PostgresSql.forTable(table, STALLED),
                PostgresSql.forTable(table, RELEASABLE),
                PostgresSql.forTable(table, BLOCKED),
                PostgresSql.forTable(table, MARK),
                columns,
                PostgresSql.forTable(table, WRITE_LETTER));
    }

    private static final String CHECK_DEFERRED = "set constraints all immediate";

    private static final String FIRST_READY = """
            select id, event_id, version, key_hash, attempts, abandoned
            from {outbox}
            where status in ('PENDING', 'FAILED') and next_attempt_at is null and id >= ? and abandoned < 2
              and ((key_hash % ?) + ?) % ? = ?
            order by next_attempt_at nulls first, id
            limit ?
            """;

    private static final String FIRST_DUE = """
            select id, event_id, version, key_hash, attempts, abandoned
            from {outbox}
            where status in ('PENDING', 'FAILED') and next_attempt_at <= statement_timestamp() and abandoned < 2
              and ((key_hash % ?) + ?) % ? = ?
            order by next_attempt_at nulls first, id
            limit ?
            """;

    private static final String FIRST_SUSPECT = """
            select id, event_id, version, key_hash, attempts, abandoned
            from {outbox}
            where abandoned >= 2 and abandoned = ? and status in ('PENDING', 'FAILED')
              and (next_attempt_at is null or next_attempt_at <= statement_timestamp())
              and ((key_hash % ?) + ?) % ? = ?
            order by id
            limit ?
            """;

    private static final String CLAIM = """
            update {outbox} o
            set status = 'SENDING', locked_by = ?, locked_at = clock_timestamp(),
                version = o.version % 2147483647 + 1, claims = least(o.claims, 2147483646) + 1,
                updated_at = clock_timestamp()
            where o.id = ?
            """;

    private static final String HOLD = """
            update {outbox} o
            set status = 'HELD', version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
            where o.id = ?
            """;

    /** All that a claim reads and computes; here it stays at the server, however large it is. */
    private static final String READ = """
            select {size} as size,
                   case when isfinite(o.created_at) then extract(epoch from clock_timestamp() - o.created_at) end as age,
                   md5(o.payload_binary), md5(concat(o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.source,
                       o.content_type, o.request_id, o.content_hash))
            from {outbox} o
            where o.id = ?
            """;

    private static final String STALLED = """
            select o.id, o.event_id, o.version, o.key_hash, o.attempts, o.abandoned
            from {outbox} o
            where o.status = 'SENDING'
              and not exists (
                select 1 from {lease} l
                where l.name = 'relay/' || o.locked_by and l.expires_at > statement_timestamp())
            limit ?
            """;

    private static final String RELEASABLE = """
            select h.id, h.event_id, h.version, h.key_hash, h.attempts, h.abandoned
            from {outbox} h
            where h.status = 'HELD'
              and (
                select case when b.status = 'HELD' or b.status = 'PENDING' and b.next_attempt_at is null then true else false end
                from {outbox} b
                where b.key_hash = h.key_hash
                  and b.status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')
                  and (b.status <> 'PENDING' or b.next_attempt_at is null
                       or b.next_attempt_at <= statement_timestamp())
                  and (b.status <> 'DEAD_LETTER' or b.holds_key)
                order by b.key_hash, b.id limit 1)
            order by h.key_hash, h.id
            limit ?
            """;

    private static final String BLOCKED = """
            select id, event_id, version, key_hash, attempts, abandoned
            from {outbox}
            where status = 'BLOCKED' and blocked_by = ?
            order by blocked_by, id
            limit ?
            """;

    private static final String MARK = """
            update {outbox} o
            set status = ?, holds_key = ?, blocked_by = null, version = o.version % 2147483647 + 1
            where o.id = ? and o.event_id = ?::uuid and o.version = ?
            """;

    /** Those whose length is not fixed: the others cannot be damaged without the whole row. */
    private static final List<String> COLUMNS = List.of(
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "event_key",
            "source",
            "payload",
            "payload_binary",
            "content_type",
            "headers",
            "request_id",
            "content_hash");

    /** The whole value has to be read for it. */
    private static final String READ_COLUMN = """
            select md5({column}::text) from {outbox} where id = ?
            """;

    private static final String WRITE_LETTER = """
            insert into {dead_letter} as l (error_class, reason, event_type, aggregate_type, aggregate_id, event_key,
                source, payload, payload_binary, content_type, headers, request_id, content_hash, outbox_id, event_id,
                occurred_at, created_at, attempts, max_retries, first_failed_at)
            select ?::text, ?::text,
                case when ? then o.event_type else 'unreadable' end,
                case when ? then o.aggregate_type else 'unreadable' end,
                case when ? then o.aggregate_id else 'unreadable' end,
                case when ? then o.event_key end,
                case when ? then o.source end,
                case when ? then o.payload end,
                case when ? then o.payload_binary end,
                case when ? then o.content_type else 'unreadable' end,
                case when ? then o.headers end,
                case when ? then o.request_id end,
                case when ? then o.content_hash end,
                o.id, o.event_id, o.occurred_at, o.created_at, least(greatest(o.attempts, 0), 2147483646) + 1, o.max_retries,
                coalesce(o.first_failed_at, clock_timestamp())
            from {outbox} o
            where o.id = ?
            on conflict (outbox_id) do update
                set event_id = case when l.event_id = excluded.event_id then l.event_id end, attempts = excluded.attempts, error_class = excluded.error_class, reason = excluded.reason,
                    died_at = clock_timestamp()
            """;
}
