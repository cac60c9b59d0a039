package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.jdbc.CommonAdminSql;

/**
 * The operators' statements to an outbox on PostgreSQL that are the same in every mode, for one table. Nothing but
 * the checked table names is ever put into the text.
 */
final class PostgresAdminSql {
    private PostgresAdminSql() {}

    static CommonAdminSql of(OutboxTable table) {
        return new CommonAdminSql(
                PostgresSql.forTable(table, SIZES),
                PostgresSql.forTable(table, READ_EVENTS),
                PostgresSql.forTable(table, READ_CHANGED),
                PostgresSql.forTable(table, WAS_HANDLED),
                PostgresSql.forTable(table, NOTE_HANDLED),
                PostgresSql.forTable(table, HAS_LETTERS),
                PostgresSql.forTable(table, FORGET_LETTER),
                PostgresSql.forTable(table, RECORD),
                PostgresSql.forTable(table, RECORD_PROGRESS),
                PostgresSql.forTable(table, AUDIT));
    }

    static String insertLine(OutboxTable table) {
        return PostgresSql.forTable(table, INSERT_LINE);
    }

    /**
     * One change at a time. Read committed, so that each statement after the lock sees what others had
     * committed when it began.
     */
    static final String BEGIN_CHANGE = """
            set transaction isolation level read committed;
            set local lock_timeout = '30s'
            """;

    static final String WAIT_FOR_OPERATORS = "select pg_advisory_xact_lock(hashtextextended(?, 0))";

    /** The name of the lock under which layouts are changed, tables migrated and dead letters handled. */
    static String operatorsOf(OutboxTable table) {
        return "postrider operators of " + table;
    }

    /**
     * A page of a replay has one good plan, along an index in the order of ids. Statistics, or none, suggest others: to
     * gather and sort for every page all that is still to come.
     */
    static final String WALK_ALONG_INDEXES = """
            set local enable_seqscan = off;
            set local enable_bitmapscan = off;
            set local enable_sort = off;
            set local jit = off
            """;

    /** How much would come over, at least. What is stored as more than the limit is not read for it. */
    private static final String SIZES = """
            select o.id, {stored} + case when {stored_json} > w.max_size then 0 else {hidden} end as size
            from (select ?::bigint as max_size, ?::bigint[] as ids) w join {outbox} o on o.id = any (w.ids)
            """;

    private static final String READ_EVENTS = """
            select id, key_hash, event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                   payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at, max_retries
            from {outbox}
            where id = any (?::bigint[])
            order by id
            """;

    /** What would be sent of letters whose row was changed after it was written: the row, or if it is gone the letter. */
    private static final String READ_CHANGED = """
            select l.outbox_id, e.*
            from {dead_letter} l cross join lateral (
                select o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.source, o.payload,
                       o.payload_binary, o.content_type, o.headers, o.request_id, o.content_hash, o.occurred_at,
                       o.max_retries
                from {outbox} o
                where o.id = l.outbox_id and o.event_id = l.event_id
                union all
                select l.event_id, l.event_type, l.aggregate_type, l.aggregate_id, l.event_key, l.source, l.payload,
                       l.payload_binary, l.content_type, l.headers, l.request_id, l.content_hash, l.occurred_at,
                       l.max_retries
                where not exists (select 1 from {outbox} o where o.id = l.outbox_id and o.event_id = l.event_id)
            ) e
            where l.outbox_id = any (?::bigint[]) and l.error_class = 'integrity'
            """;

    // ---- from the file

    /** Whether an event that is in the file was brought back or discarded; its row may be gone since. */
    private static final String WAS_HANDLED = """
            select exists (select 1 from {audit} where action = 'handled' and selector = ?)
            """;

    private static final String NOTE_HANDLED = """
            insert into {audit} (actor, action, selector, affected)
            select ?, 'handled', ?, 1
            where not exists (select 1 from {audit} where action = 'handled' and selector = ?)
            """;

    /** The payload comes from its text, so that not even its white space changes. */
    private static final String INSERT_LINE = """
            insert into {outbox} (event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at, created_at,
                max_retries, first_failed_at, last_error)
            select r.event_id, r.event_type, r.aggregate_type, r.aggregate_id, r.event_key, r.source,
                (saved.line ->> 'payload_text')::json, r.payload_binary, r.content_type, r.headers, r.request_id,
                r.content_hash, r.occurred_at, r.created_at, r.max_retries, r.first_failed_at, r.last_error
            from (select ?::jsonb as line) saved
            cross join lateral jsonb_populate_record(null::{outbox}, saved.line) r
            on conflict do nothing
            """;

    /** The file exists because the table may not. */
    private static final String HAS_LETTERS = """
            select to_regclass('{dead_letter}') is not null
            """;

    private static final String FORGET_LETTER = """
            delete from {dead_letter} where outbox_id = ? and event_id = ?::uuid
            """;

    // ---- what operators did

    private static final String RECORD = """
            insert into {audit} (actor, action, selector, affected) values (?, ?, ?, ?)
            """;

    private static final String RECORD_PROGRESS = """
            update {audit} set affected = ? where id = ?
            """;

    /** Without the entries by which a restore knows what was handled before. */
    private static final String AUDIT = """
            select at, actor, action, selector, affected
            from {audit}
            where action <> 'handled'
            order by id desc
            limit ?
            """;
}
