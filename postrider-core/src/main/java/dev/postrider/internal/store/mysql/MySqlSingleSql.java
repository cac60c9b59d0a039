package dev.postrider.internal.store.mysql;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.jdbc.JdbcSingleRows;
import java.util.List;

/** The statements about single rows of an outbox on MariaDB or MySQL, for one table. */
final class MySqlSingleSql {
    private MySqlSingleSql() {}

    static JdbcSingleRows.Words of(OutboxTable table) {
        List<JdbcSingleRows.Column> columns = COLUMNS.stream()
                .map(column -> new JdbcSingleRows.Column(
                        column, MySqlSql.forTable(table, READ_COLUMN).replace("{column}", column)))
                .toList();
        return new JdbcSingleRows.Words(
                MySqlSql.forTable(table, FIRST_READY),
                MySqlSql.forTable(table, FIRST_DUE),
                MySqlSql.forTable(table, FIRST_SUSPECT),
                MySqlSql.forTable(table, CLAIM),
                MySqlSql.forTable(table, HOLD),
                CHECK_DEFERRED,
                MySqlSql.forTable(table, READ),
                MySqlSql.forTable(table, STALLED),
                MySqlSql.forTable(table, RELEASABLE),
                MySqlSql.forTable(table, BLOCKED),
                MySqlSql.forTable(table, MARK),
                columns,
                MySqlSql.forTable(table, WRITE_LETTER));
    }

    private static final String CHECK_DEFERRED = "do 0";

    private static final String FIRST_READY = """
            select id, event_id, version, key_hash, attempts, abandoned
            from {outbox} force index ({name}_due)
            where to_send = 1 and next_attempt_at is null and id >= ?
              and ((key_hash % ?) + ?) % ? = ?
            order by to_send, next_attempt_at, id
            limit ?
            """;

    private static final String FIRST_DUE = """
            select id, event_id, version, key_hash, attempts, abandoned
            from {outbox} force index ({name}_due)
            where to_send = 1 and next_attempt_at <= utc_timestamp(6)
              and ((key_hash % ?) + ?) % ? = ?
            order by next_attempt_at, id
            limit ?
            """;

    private static final String FIRST_SUSPECT = """
            select id, event_id, version, key_hash, attempts, abandoned
            from {outbox} force index ({name}_due)
            where to_send = 2 and abandoned = ? and (next_attempt_at is null or next_attempt_at <= utc_timestamp(6))
              and ((key_hash % ?) + ?) % ? = ?
            order by id
            limit ?
            """;

    private static final String CLAIM = """
            update {outbox}
            set status = 'SENDING', locked_by = ?, locked_at = utc_timestamp(6),
                version = version % 2147483647 + 1, claims = least(claims, 2147483646) + 1,
                updated_at = utc_timestamp(6)
            where id = ?
            """;

    private static final String HOLD = """
            update {outbox}
            set status = 'HELD', version = version % 2147483647 + 1, updated_at = utc_timestamp(6)
            where id = ?
            """;

    private static final String READ = """
            select timestampdiff(microsecond, o.created_at, utc_timestamp(6)) as age,
                   md5(o.payload), md5(o.payload_binary), md5(o.headers),
                   md5(concat_ws('', o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.source, o.content_type,
                       o.request_id, o.content_hash))
            from {outbox} o
            where o.id = ?
            """;

    private static final String STALLED = """
            select o.id, o.event_id, o.version, o.key_hash, o.attempts, o.abandoned
            from {outbox} o force index ({name}_status)
            where o.status = 'SENDING'
              and not exists (
                select 1 from {lease} l
                where l.name = concat('relay/', o.locked_by) and l.expires_at > utc_timestamp(6))
            limit ?
            """;

    private static final String RELEASABLE = """
            select o.id, o.event_id, o.version, o.key_hash, o.attempts, o.abandoned
            from (select distinct held_key from {outbox} force index ({name}_held) where held_key is not null) k
            straight_join {outbox} o force index ({name}_held) on o.held_key = k.held_key
            where (select b.status = 'HELD' or b.status = 'PENDING' and b.next_attempt_at is null
                   from {outbox} b force index ({name}_key)
                   where b.open_key = k.held_key
                     and (b.status <> 'PENDING' or b.next_attempt_at is null or b.next_attempt_at <= utc_timestamp(6))
                   order by b.id
                   limit 1)
            order by o.held_key, o.id
            limit ?
            """;

    private static final String BLOCKED = """
            select id, event_id, version, key_hash, attempts, abandoned
            from {outbox} force index ({name}_blocked)
            where blocked_by = ? and status = 'BLOCKED'
            order by blocked_by, id
            limit ?
            """;

    private static final String MARK = """
            update {outbox}
            set status = ?, holds_key = ?, blocked_by = null, version = version % 2147483647 + 1
            where id = ? and event_id = ? and version = ?
            """;

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
            select md5({column}) from {outbox} where id = ?
            """;

    private static final String WRITE_LETTER = """
            insert into {dead_letter} (error_class, reason, event_type, aggregate_type, aggregate_id, event_key,
                source, payload, payload_binary, content_type, headers, request_id, content_hash, outbox_id, event_id,
                occurred_at, created_at, attempts, max_retries, first_failed_at)
            select ?, ?,
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
                coalesce(o.first_failed_at, utc_timestamp(6))
            from {outbox} o
            where o.id = ?
            on duplicate key update
                event_id = if({dead_letter}.event_id = values(event_id), {dead_letter}.event_id, null),
                attempts = values(attempts), error_class = values(error_class), reason = values(reason),
                died_at = utc_timestamp(6)
            """;
}
