package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxTable;

/**
 * Every statement Postrider sends to a claim-mode outbox on PostgreSQL, for one table. Nothing but
 * the checked table names is ever put into the text.
 *
 * <p>{@code statement_timestamp()} is used where an index must see a constant, {@code
 * clock_timestamp()} where a time is recorded: both are the database's clock.
 */
final class PostgresSql {
    final String insert;
    final String insertOnce;
    final String claimByKey;
    final String claimByDueTime;
    final String markPublished;
    final String deletePublished;
    final String markFailed;
    final String markDead;
    final String markDeadWithoutLetter;
    final String describe;
    final String claimSuspects;
    final String deathsOfSuspects;
    final String outlook;
    final String giveBack;
    final String releaseHeldFrom;
    final String releaseHeldOf;
    final String markBlocked;
    final String blockedDestinations;
    final String releaseBlocked;
    final String releaseAnyBlocked;
    final String releaseFollowers;
    final String renewInstance;
    final String releaseInstance;
    final String forgetOwner;
    final String recoverStalled;
    final String tryLease;
    final String releaseLease;
    final String purgePublished;
    final String passPublished;
    final String putNote;
    final String setting;

    PostgresSql(OutboxTable table) {
        this.insert = forTable(table, INSERT);
        this.insertOnce = forTable(table, INSERT_ONCE);
        this.claimByKey = forTable(table, CLAIM_BY_KEY);
        this.claimByDueTime = forTable(table, CLAIM_BY_DUE_TIME);
        this.markPublished = forTable(table, MARK_PUBLISHED);
        this.deletePublished = forTable(table, DELETE_PUBLISHED);
        this.markFailed = forTable(table, MARK_FAILED);
        this.markDead = forTable(table, MARK_DEAD);
        this.markDeadWithoutLetter = forTable(table, MARK_DEAD_WITHOUT_LETTER);
        this.describe = forTable(table, DESCRIBE);
        this.claimSuspects = forTable(table, CLAIM_SUSPECTS);
        this.deathsOfSuspects = forTable(table, DEATHS_OF_SUSPECTS);
        this.outlook = forTable(table, OUTLOOK);
        this.giveBack = forTable(table, GIVE_BACK);
        this.releaseHeldFrom = forTable(table, RELEASE_HELD.formatted(CLOSED_KEYS_FROM));
        this.releaseHeldOf = forTable(table, RELEASE_HELD.formatted(CLOSED_KEYS_GIVEN));
        this.markBlocked = forTable(table, MARK_BLOCKED);
        this.blockedDestinations = forTable(table, BLOCKED_DESTINATIONS);
        this.releaseBlocked = forTable(table, RELEASE_BLOCKED);
        this.releaseAnyBlocked = forTable(table, RELEASE_ANY_BLOCKED);
        this.releaseFollowers = forTable(table, RELEASE_FOLLOWERS);
        this.renewInstance = forTable(table, RENEW_INSTANCE);
        this.releaseInstance = forTable(table, RELEASE_INSTANCE);
        this.forgetOwner = forTable(table, FORGET_OWNER);
        this.recoverStalled = forTable(table, RECOVER_STALLED);
        this.tryLease = forTable(table, TRY_LEASE);
        this.releaseLease = forTable(table, RELEASE_LEASE);
        this.purgePublished = forTable(table, PURGE_PUBLISHED.formatted(DELETE_OLD));
        this.passPublished = forTable(table, PURGE_PUBLISHED.formatted(DELETE_NOTHING));
        this.putNote = forTable(table, PUT_NOTE);
        this.setting = forTable(table, SETTING);
    }

    static String forTable(OutboxTable table, String statement) {
        return PostgresSizeSql.in(statement)
                .replace("{outbox}", table.sql())
                .replace("{lease}", table.leaseSql())
                .replace("{cursor}", table.cursorSql())
                .replace("{parked}", table.parkedSql())
                .replace("{dead_letter}", table.deadLetterSql())
                .replace("{audit}", table.auditSql())
                .replace("{settings}", table.settingsSql());
    }

    /**
     * What a relay records must last, even if the database's users have chosen otherwise for what they write.
     *
     * <p>The planner's switches are there because every statement of a relay has one good plan, along an
     * index, and statistics taken before a backlog grew suggest others: to gather and sort a million
     * rows for the sake of the first 500. Without those the costs mean nothing, and neither does
     * compiling for them.
     */
    static final String PREPARE_SESSION = """
            set lock_timeout = '5s';
            set idle_in_transaction_session_timeout = '10s';
            set default_transaction_isolation = 'read committed';
            select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';
            set plan_cache_mode = 'force_custom_plan';
            set enable_seqscan = off;
            set enable_bitmapscan = off;
            set enable_sort = off;
            set jit = off
            """;

    static final String RESTORE_SESSION = """
            reset lock_timeout;
            reset idle_in_transaction_session_timeout;
            reset default_transaction_isolation;
            reset synchronous_commit;
            reset plan_cache_mode;
            reset enable_seqscan;
            reset enable_bitmapscan;
            reset enable_sort;
            reset jit
            """;

    /** A notification survives no crash anyway: its transaction need not wait for the disk. */
    static final String NOTIFY = "select set_config('synchronous_commit', 'off', true), pg_notify(?, '')";

    private static final String INSERT = """
            insert into {outbox} (event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                payload, payload_binary, content_type, headers, request_id, content_hash,
                occurred_at, next_attempt_at, max_retries)
            values (?::uuid, ?, ?, ?, ?, ?, ?::json, ?, ?, ?::json, ?, ?, coalesce(?, clock_timestamp()), ?, ?)
            """;

    private static final String INSERT_ONCE =
            INSERT + "on conflict (request_id) where request_id is not null do nothing";

    /**
     * 1. Lock what is due: at once by id, from a given one on ({@code ready}), and what has waited for its time ({@code
     * due}). 2. Find, per key, the first unfinished event that is not among the locked: its {@code
     * gate}. 3. Take the rows before their gate, up to the limits of count and bytes, as SENDING: first by what is
     * stored, which costs nothing, and of those that are left by their size. 4. Rows behind a gate that failed, or that has been in flight for more than a second, become HELD,
     * out of the due index, so that the next claim does not meet them again; those behind one that waits for its destination
     * wait for it too, and go on with it. So do rows behind one that has become due and was not met, because by due time it
     * comes after them: they could be so many that no claim ever gets to it.
     *
     * <p>Lock first, look for gates afterwards: the gate is read from the statement's snapshot, so it
     * is at worst older than the locks and keeps more back, never less. The order of the due index is
     * spelled out in full, nulls first, because no other index offers it, least of all the primary key.
     *
     * <p>What an update needs beside the row is looked up in a JSON object by the row's id instead of being joined: for tables that
     * the planner takes for empty it compares each row with each other one, four million times for a claim of two thousand.
     *
     * <p>The keys of those that are set aside stand in one of the rows.
     *
     * <p>What becomes due next is one step into the same index. Whose part of a static split it is does not matter. It is
     * counted from the end of the statement, which may have taken a while; {@code due} and it leave nothing out between them.
     */
    private static final String CLAIM_BY_KEY = """
            with ready as materialized (
                select id, key_hash, {stored} as stored, case when {stored_json} <= 8192 then {hidden} end as hidden
                from {outbox} o
                where status in ('PENDING', 'FAILED') and next_attempt_at is null and id >= ? and abandoned < 2
                  and ((key_hash % ?) + ?) % ? = ? and id <> all (?)
                order by next_attempt_at nulls first, id
                limit ?
                for update skip locked
            ), due as materialized (
                select id, key_hash, {stored} as stored, case when {stored_json} <= 8192 then {hidden} end as hidden
                from {outbox} o
                where status in ('PENDING', 'FAILED') and next_attempt_at <= statement_timestamp() and abandoned < 2
                  and ((key_hash % ?) + ?) % ? = ? and id <> all (?)
                order by next_attempt_at nulls first, id
                limit ?
                for update skip locked
            ), locked as materialized (
                select * from ready union all select * from due
            ), gates as materialized (
                select k.key_hash, gate.id, gate.status, gate.next_attempt_at, gate.locked_at, gate.blocked_by
                from (select key_hash, max(id) as last_id from locked group by key_hash) k
                join lateral (
                    select e.id, e.status, e.next_attempt_at, e.locked_at, e.blocked_by
                    from {outbox} e
                    where e.key_hash = k.key_hash
                      and e.id < k.last_id
                      and e.status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')
                      and (e.status <> 'PENDING' or e.next_attempt_at is null
                           or e.next_attempt_at <= statement_timestamp())
                      and (e.status <> 'DEAD_LETTER' or e.holds_key)
                      and e.id not in (select id from locked)
                    order by e.key_hash, e.id
                    limit 1
                ) gate on true
            ), candidates as materialized (
                select l.id, l.stored, l.hidden,
                       row_number() over w as position,
                       sum(case when l.stored <= ? then l.stored else 0 end) over w as bytes
                from locked l left join gates g using (key_hash)
                where g.id is null or l.id < g.id
                window w as (order by l.id rows unbounded preceding)
            ), sized as materialized (
                select c.id,
                       c.stored + case when c.stored > ? then 0
                                       when c.hidden is not null then c.hidden
                                       else (select {hidden} from {outbox} o where o.id = c.id) end as size
                from candidates c
                where c.position <= ? and (c.bytes <= ? or c.bytes = c.stored)
            ), chosen as materialized (
                select id, size from (
                    select id, size,
                           sum(case when size <= ? then size else 0 end) over (order by id rows unbounded preceding) as bytes
                    from sized
                ) summed
                where bytes <= ? or bytes = size
            ), closed as materialized (
                select l.id, l.key_hash, g.status, g.blocked_by
                from locked l left join gates g using (key_hash)
                where l.id > g.id
                  and (g.status in ('FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER') or g.id = any (?)
                       or g.status = 'PENDING' and g.next_attempt_at is not null
                       or g.status = 'SENDING' and g.locked_at < statement_timestamp() - interval '1 second')
            ), behind as materialized (
                select jsonb_object_agg(id, blocked_by) as destinations from closed where status = 'BLOCKED'
            ), held as (
                update {outbox} o
                set status = case when jsonb_exists((select destinations from behind), o.id::text) then 'BLOCKED' else 'HELD' end,
                    blocked_by = (select destinations from behind) ->> o.id::text, holds_key = false,
                    version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
                where o.id = any (array(select id from closed))
                returning o.id
            ), sizes as materialized (
                select jsonb_object_agg(id, size) as by_id from chosen
            ), claimed as (
                update {outbox} o
                set status = 'SENDING', locked_by = ?, locked_at = clock_timestamp(),
                    version = o.version % 2147483647 + 1, claims = least(o.claims, 2147483646) + 1,
                    updated_at = clock_timestamp()
                where o.id = any (array(select id from chosen))
                returning o.*, ((select by_id from sizes) ->> o.id::text)::bigint as size,
                          ((select by_id from sizes) ->> o.id::text)::bigint <= ? as fits
            )
            select (select count(*) from held) as held_count,
                   case when c.id is null or c.id = (select min(id) from chosen)
                        then (select array_agg(distinct key_hash) from closed) end as held_keys,
                   (select count(*) from locked) as locked_count, (select min(id) from ready) as lowest_id,
                   (select extract(epoch from n.next_attempt_at - clock_timestamp())
                    from {outbox} n
                    where n.status in ('PENDING', 'FAILED')
                      and n.next_attempt_at > statement_timestamp() and n.next_attempt_at < 'infinity'
                    order by n.next_attempt_at nulls first, n.id
                    limit 1) as next_due,
                   c.id, c.version, c.key_hash, c.attempts, c.abandoned, c.max_retries,
                   case when isfinite(c.created_at) then extract(epoch from clock_timestamp() - c.created_at) end as age,
                   c.size, c.event_id, c.occurred_at,
                   case when c.fits then c.content_type end as content_type,
                   case when c.fits then c.event_type end as event_type,
                   case when c.fits then c.aggregate_type end as aggregate_type,
                   case when c.fits then c.aggregate_id end as aggregate_id,
                   case when c.fits then c.event_key end as event_key,
                   case when c.fits then c.source end as source,
                   case when c.fits then c.payload end as payload,
                   case when c.fits then c.payload_binary end as payload_binary,
                   case when c.fits then c.headers end as headers,
                   case when c.fits then c.request_id end as request_id,
                   case when c.fits then c.content_hash end as content_hash
            from (select 1) one left join claimed c on true
            """;

    private static final String CLAIM_BY_DUE_TIME = """
            with ready as materialized (
                select id, created_at as due_at,
                       {stored} as stored, case when {stored_json} <= 8192 then {hidden} end as hidden
                from {outbox} o
                where status in ('PENDING', 'FAILED') and next_attempt_at is null and id >= ? and abandoned < 2
                  and ((key_hash % ?) + ?) % ? = ? and id <> all (?)
                order by next_attempt_at nulls first, id
                limit ?
                for update skip locked
            ), due as materialized (
                select id, next_attempt_at as due_at,
                       {stored} as stored, case when {stored_json} <= 8192 then {hidden} end as hidden
                from {outbox} o
                where status in ('PENDING', 'FAILED') and next_attempt_at <= statement_timestamp() and abandoned < 2
                  and ((key_hash % ?) + ?) % ? = ? and id <> all (?)
                order by next_attempt_at nulls first, id
                limit ?
                for update skip locked
            ), locked as materialized (
                select * from ready union all select * from due
            ), candidates as materialized (
                select id, due_at, stored, hidden,
                       row_number() over w as position,
                       sum(case when stored <= ? then stored else 0 end) over w as bytes
                from locked
                window w as (order by due_at, id rows unbounded preceding)
            ), sized as materialized (
                select c.id, c.due_at, c.position,
                       c.stored + case when c.stored > ? then 0
                                       when c.hidden is not null then c.hidden
                                       else (select {hidden} from {outbox} o where o.id = c.id) end as size
                from candidates c
                where c.position <= ? and (c.bytes <= ? or c.bytes = c.stored)
            ), chosen as materialized (
                select id, position, size from (
                    select id, position, size,
                           sum(case when size <= ? then size else 0 end)
                               over (order by due_at, id rows unbounded preceding) as bytes
                    from sized
                ) summed
                where bytes <= ? or bytes = size
            ), sizes as materialized (
                select jsonb_object_agg(id, size) as by_id, jsonb_object_agg(id, position) as positions from chosen
            ), claimed as (
                update {outbox} o
                set status = 'SENDING', locked_by = ?, locked_at = clock_timestamp(),
                    version = o.version % 2147483647 + 1, claims = least(o.claims, 2147483646) + 1,
                    updated_at = clock_timestamp()
                where o.id = any (array(select id from chosen))
                returning o.*, ((select positions from sizes) ->> o.id::text)::bigint as position,
                          ((select by_id from sizes) ->> o.id::text)::bigint as size,
                          ((select by_id from sizes) ->> o.id::text)::bigint <= ? as fits
            )
            select 0 as held_count, null::bigint[] as held_keys,
                   (select count(*) from chosen) as locked_count, (select min(id) from ready) as lowest_id,
                   (select extract(epoch from n.next_attempt_at - clock_timestamp())
                    from {outbox} n
                    where n.status in ('PENDING', 'FAILED')
                      and n.next_attempt_at > statement_timestamp() and n.next_attempt_at < 'infinity'
                    order by n.next_attempt_at nulls first, n.id
                    limit 1) as next_due,
                   c.id, c.version, c.key_hash, c.attempts, c.abandoned, c.max_retries,
                   case when isfinite(c.created_at) then extract(epoch from clock_timestamp() - c.created_at) end as age,
                   c.size, c.event_id, c.occurred_at,
                   case when c.fits then c.content_type end as content_type,
                   case when c.fits then c.event_type end as event_type,
                   case when c.fits then c.aggregate_type end as aggregate_type,
                   case when c.fits then c.aggregate_id end as aggregate_id,
                   case when c.fits then c.event_key end as event_key,
                   case when c.fits then c.source end as source,
                   case when c.fits then c.payload end as payload,
                   case when c.fits then c.payload_binary end as payload_binary,
                   case when c.fits then c.headers end as headers,
                   case when c.fits then c.request_id end as request_id,
                   case when c.fits then c.content_hash end as content_hash
            from (select 1) one left join claimed c on true
            order by c.position
            """;

    /**
     * As {@link #CLAIM_BY_KEY}, of events that so many relays have died with: a row is taken only if every earlier
     * unfinished one of its key is taken with it, whatever number of relays has died with that.
     */
    private static final String CLAIM_SUSPECTS = """
            with locked as materialized (
                select id, key_hash, {stored} as stored, case when {stored_json} <= 8192 then {hidden} end as hidden
                from {outbox} o
                where abandoned >= 2 and abandoned = ? and status in ('PENDING', 'FAILED')
                  and (next_attempt_at is null or next_attempt_at <= statement_timestamp())
                  and ((key_hash % ?) + ?) % ? = ? and id <> all (?)
                order by id
                limit ?
                for update skip locked
            ), gates as materialized (
                select k.key_hash, gate.id, gate.status, gate.next_attempt_at, gate.locked_at, gate.blocked_by
                from (select key_hash, max(id) as last_id from locked group by key_hash) k
                join lateral (
                    select e.id, e.status, e.next_attempt_at, e.locked_at, e.blocked_by
                    from {outbox} e
                    where e.key_hash = k.key_hash
                      and e.id < k.last_id
                      and e.status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')
                      and (e.status <> 'PENDING' or e.next_attempt_at is null
                           or e.next_attempt_at <= statement_timestamp())
                      and (e.status <> 'DEAD_LETTER' or e.holds_key)
                      and e.id not in (select id from locked)
                    order by e.key_hash, e.id
                    limit 1
                ) gate on true
            ), candidates as materialized (
                select l.id, l.stored, l.hidden,
                       row_number() over w as position,
                       sum(case when l.stored <= ? then l.stored else 0 end) over w as bytes
                from locked l left join gates g using (key_hash)
                where g.id is null or l.id < g.id
                window w as (order by l.id rows unbounded preceding)
            ), sized as materialized (
                select c.id,
                       c.stored + case when c.stored > ? then 0
                                       when c.hidden is not null then c.hidden
                                       else (select {hidden} from {outbox} o where o.id = c.id) end as size
                from candidates c
                where c.position <= ? and (c.bytes <= ? or c.bytes = c.stored)
            ), chosen as materialized (
                select id, size from (
                    select id, size,
                           sum(case when size <= ? then size else 0 end) over (order by id rows unbounded preceding) as bytes
                    from sized
                ) summed
                where bytes <= ? or bytes = size
            ), closed as materialized (
                select l.id, l.key_hash, g.status, g.blocked_by
                from locked l left join gates g using (key_hash)
                where l.id > g.id
                  and (g.status in ('FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')
                       or g.status = 'PENDING' and g.next_attempt_at is not null
                       or g.status = 'SENDING' and g.locked_at < statement_timestamp() - interval '1 second')
            ), behind as materialized (
                select jsonb_object_agg(id, blocked_by) as destinations from closed where status = 'BLOCKED'
            ), held as (
                update {outbox} o
                set status = case when jsonb_exists((select destinations from behind), o.id::text) then 'BLOCKED' else 'HELD' end,
                    blocked_by = (select destinations from behind) ->> o.id::text, holds_key = false,
                    version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
                where o.id = any (array(select id from closed))
                returning o.id
            ), sizes as materialized (
                select jsonb_object_agg(id, size) as by_id from chosen
            ), claimed as (
                update {outbox} o
                set status = 'SENDING', locked_by = ?, locked_at = clock_timestamp(),
                    version = o.version % 2147483647 + 1, claims = least(o.claims, 2147483646) + 1,
                    updated_at = clock_timestamp()
                where o.id = any (array(select id from chosen))
                returning o.*, ((select by_id from sizes) ->> o.id::text)::bigint as size,
                          ((select by_id from sizes) ->> o.id::text)::bigint <= ? as fits
            )
            select (select count(*) from held) as held_count,
                   case when c.id is null or c.id = (select min(id) from chosen)
                        then (select array_agg(distinct key_hash) from closed) end as held_keys,
                   (select count(*) from locked) as locked_count, null as lowest_id, null as next_due,
                   c.id, c.version, c.key_hash, c.attempts, c.abandoned, c.max_retries,
                   case when isfinite(c.created_at) then extract(epoch from clock_timestamp() - c.created_at) end as age,
                   c.size, c.event_id, c.occurred_at,
                   case when c.fits then c.content_type end as content_type,
                   case when c.fits then c.event_type end as event_type,
                   case when c.fits then c.aggregate_type end as aggregate_type,
                   case when c.fits then c.aggregate_id end as aggregate_id,
                   case when c.fits then c.event_key end as event_key,
                   case when c.fits then c.source end as source,
                   case when c.fits then c.payload end as payload,
                   case when c.fits then c.payload_binary end as payload_binary,
                   case when c.fits then c.headers end as headers,
                   case when c.fits then c.request_id end as request_id,
                   case when c.fits then c.content_hash end as content_hash
            from (select 1) one left join claimed c on true
            """;

    private static final String DEATHS_OF_SUSPECTS = """
            select distinct abandoned
            from (
                select abandoned from {outbox}
                where abandoned >= 2 and status in ('PENDING', 'FAILED')
                  and (next_attempt_at is null or next_attempt_at <= statement_timestamp())
                order by id
                limit 10000
            ) suspects
            order by abandoned
            """;

    /**
     * What has become due in the last moments counts too: it may have been written after the last claim. What has been due for
     * longer, and nobody has taken, waits for something else; and the entries of what was taken must not be met again.
     */
    private static final String OUTLOOK = """
            select exists (
                    select 1 from {outbox}
                    where abandoned >= 2 and status in ('PENDING', 'FAILED')
                      and (next_attempt_at is null or next_attempt_at <= statement_timestamp())) as suspects,
                   (select greatest(0, extract(epoch from n.next_attempt_at - statement_timestamp()))
                    from {outbox} n
                    where n.status in ('PENDING', 'FAILED')
                      and n.next_attempt_at > statement_timestamp() - interval '10 seconds'
                      and n.next_attempt_at < 'infinity'
                    order by n.next_attempt_at nulls first, n.id
                    limit 1) as next_due
            """;

    /**
     * By the event's id too, not only by the row's: after {@code truncate … restart identity} another event may have the same
     * row id and version.
     *
     * <p>As in every statement that settles, the ids come twice and the state is asked for in a way that no index serves: so
     * the rows are found by their ids. By their state they would be found among all rows that were SENDING since the
     * last vacuum.
     */
    private static final String MARK_PUBLISHED = """
            update {outbox} o
            set status = 'PUBLISHED', published_at = clock_timestamp(), updated_at = clock_timestamp(),
                next_attempt_at = null, locked_by = null, locked_at = null, last_error = null,
                version = o.version % 2147483647 + 1
            from unnest(?::bigint[], ?::uuid[], ?::integer[]) as s(id, event_id, version)
            where o.id = any (?) and o.id = s.id and o.event_id = s.event_id and o.version = s.version
              and case o.status when 'SENDING' then true else false end
            returning o.id
            """;

    private static final String DELETE_PUBLISHED = """
            delete from {outbox} o
            using unnest(?::bigint[], ?::uuid[], ?::integer[]) as s(id, event_id, version)
            where o.id = any (?) and o.id = s.id and o.event_id = s.event_id and o.version = s.version
              and case o.status when 'SENDING' then true else false end
            returning o.id
            """;

    private static final String MARK_FAILED = """
            update {outbox} o
            set status = 'FAILED', attempts = least(greatest(o.attempts, 0), 2147483646) + s.counted, abandoned = 0,
                first_failed_at = coalesce(o.first_failed_at, clock_timestamp()),
                next_attempt_at = clock_timestamp() + s.delay_millis * interval '1 millisecond',
                last_error = s.error, updated_at = clock_timestamp(),
                locked_by = null, locked_at = null, version = o.version % 2147483647 + 1
            from unnest(?::bigint[], ?::uuid[], ?::integer[], ?::integer[], ?::bigint[], ?::text[])
                as s(id, event_id, version, counted, delay_millis, error)
            where o.id = any (?) and o.id = s.id and o.event_id = s.event_id and o.version = s.version
              and case o.status when 'SENDING' then true else false end
            returning o.id
            """;

    private static final String MARK_BLOCKED = """
            update {outbox} o
            set status = 'BLOCKED', blocked_by = s.destination, holds_key = true, abandoned = 0, next_attempt_at = null,
                first_failed_at = coalesce(o.first_failed_at, clock_timestamp()),
                last_error = s.error, updated_at = clock_timestamp(),
                locked_by = null, locked_at = null, version = o.version % 2147483647 + 1
            from unnest(?::bigint[], ?::uuid[], ?::integer[], ?::text[], ?::text[])
                as s(id, event_id, version, destination, error)
            where o.id = any (?) and o.id = s.id and o.event_id = s.event_id and o.version = s.version
              and case o.status when 'SENDING' then true else false end
            returning o.id
            """;

    /**
     * The change of state and the dead letter are one statement: both or neither. Also of rows that could not be claimed:
     * their versions tell that they are as they were.
     *
     * <p>Where another event has a letter under the same id, from before the table was truncated, the statement fails: that
     * letter stays as it is, and the net below takes this one.
     */
    private static final String MARK_DEAD = """
            with dead as (
                update {outbox} o
                set status = 'DEAD_LETTER', attempts = least(greatest(o.attempts, 0), 2147483646) + 1, next_attempt_at = null,
                    first_failed_at = coalesce(o.first_failed_at, clock_timestamp()),
                    last_error = s.error, holds_key = ?, blocked_by = null, updated_at = clock_timestamp(),
                    locked_by = null, locked_at = null, version = o.version % 2147483647 + 1
                from unnest(?::bigint[], ?::uuid[], ?::integer[], ?::text[], ?::text[])
                    as s(id, event_id, version, error_class, error)
                where o.id = any (?) and o.id = s.id and o.event_id = s.event_id and o.version = s.version
                  and case when o.status in ('SENDING', 'PENDING', 'FAILED', 'HELD', 'BLOCKED') then true else false end
                returning o.*, s.error_class
            )
            insert into {dead_letter} as l (outbox_id, event_id, event_type, aggregate_type, aggregate_id, event_key,
                source, payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at,
                created_at, attempts, max_retries, error_class, reason, first_failed_at)
            select id, event_id, event_type, aggregate_type, aggregate_id, event_key,
                source, payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at,
                created_at, attempts, max_retries, error_class, last_error, first_failed_at
            from dead
            on conflict (outbox_id) do update
                set event_id = case when l.event_id = excluded.event_id then l.event_id end, attempts = excluded.attempts, error_class = excluded.error_class, reason = excluded.reason,
                    died_at = clock_timestamp()
            returning outbox_id
            """;

    private static final String MARK_DEAD_WITHOUT_LETTER = """
            update {outbox} o
            set status = 'DEAD_LETTER', attempts = least(greatest(o.attempts, 0), 2147483646) + 1, next_attempt_at = null,
                first_failed_at = coalesce(o.first_failed_at, clock_timestamp()),
                last_error = s.error, holds_key = ?, blocked_by = null, updated_at = clock_timestamp(),
                locked_by = null, locked_at = null, version = o.version % 2147483647 + 1
            from unnest(?::bigint[], ?::uuid[], ?::integer[], ?::text[], ?::text[])
                as s(id, event_id, version, error_class, error)
            where o.id = any (?) and o.id = s.id and o.event_id = s.event_id and o.version = s.version
              and case when o.status in ('SENDING', 'PENDING', 'FAILED', 'HELD', 'BLOCKED') then true else false end
            returning o.id
            """;

    /**
     * Everything an event is made of, on one line. The payload is a string, so that not even its white space
     * changes. Not by way of {@code jsonb}, which does not take every text that {@code json} takes. Of an event that is not
     * to be whole, and of all after the first 16 MiB, the line has what the row can be found by.
     */
    private static final String DESCRIBE = """
            select r.id, translate(row_to_json(r)::text, E'\\n\\r', '  ')
            from (
                select o.id, o.event_id, left(o.aggregate_type, 1000) as aggregate_type,
                       left(o.aggregate_id, 1000) as aggregate_id, e.event_type, e.event_key, e.source,
                       e.id is null as payload_omitted, e.payload::text as payload_text, e.payload_binary, e.content_type, e.headers, e.request_id,
                       e.content_hash, o.occurred_at, o.created_at, o.attempts, o.max_retries, o.first_failed_at,
                       o.error as last_error
                from (
                    select o.*, s.whole, s.error,
                           sum(case when s.whole then {size} else 0 end) over (order by o.id) as bytes
                    from unnest(?::bigint[], ?::uuid[], ?::integer[], ?::boolean[], ?::text[])
                        as s(id, event_id, version, whole, error)
                    join {outbox} o on o.id = s.id and o.event_id = s.event_id and o.version = s.version
                    where o.id = any (?) and case when o.status in ('SENDING', 'PENDING', 'FAILED', 'HELD', 'BLOCKED') then true else false end
                ) o
                left join lateral (select o.* where o.whole and o.bytes <= 16777216) e on true
            ) r
            order by r.id
            """;

    private static final String GIVE_BACK = """
            update {outbox} o
            set status = 'PENDING', updated_at = clock_timestamp(),
                locked_by = null, locked_at = null, version = o.version % 2147483647 + 1
            from unnest(?::bigint[], ?::uuid[], ?::integer[]) as s(id, event_id, version)
            where o.id = any (?) and o.id = s.id and o.event_id = s.event_id and o.version = s.version
              and case o.status when 'SENDING' then true else false end
            returning o.id
            """;

    /** Without the rows that stand under its name, which one of them may prevent: they come back like those of the dead. */
    private static final String FORGET_OWNER = """
            delete from {lease} where owner = ?
            """;

    /**
     * What is beyond the limit, or locked by somebody else, is left for the next time; until
     * then it holds back the later events of its key, so that none can overtake.
     *
     * <p>A key is open if its first unfinished event does not hold it; one that is due and not yet sent does, as for a claim.
     * What comes after a held event does not matter to it: those behind such a later one are released too, and held again by
     * the next claim.
     *
     * <p>What was held had been due: from now on it is due at once, by its id and not by its time, so that of a key whose times
     * are not in its order the first is met first.
     */
    private static final String RELEASE_HELD = """
            with recursive %s, open_keys as materialized (
                select key_hash from closed_keys k
                where (
                    select case when b.status = 'HELD' or b.status = 'PENDING' and b.next_attempt_at is null then true else false end
                    from {outbox} b
                    where b.key_hash = k.key_hash
                      and b.status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')
                      and (b.status <> 'PENDING' or b.next_attempt_at is null
                           or b.next_attempt_at <= statement_timestamp())
                      and (b.status <> 'DEAD_LETTER' or b.holds_key)
                    order by b.key_hash, b.id limit 1)
            ), chosen as materialized (
                select h.id from open_keys k
                cross join lateral (
                    select h.id from {outbox} h
                    where h.key_hash = k.key_hash and h.status = 'HELD'
                    order by h.key_hash, h.id
                    limit ?
                    for update skip locked) h
                limit ?
            ), released as (
                update {outbox} o
                set status = 'PENDING', next_attempt_at = null, version = o.version %% 2147483647 + 1, updated_at = clock_timestamp()
                where o.id = any (array(select id from chosen))
                returning o.id
            )
            select (select count(*) from closed_keys) as looked, (select max(key_hash) from closed_keys) as last_key,
                   (select count(*) from released) as events
            """;

    /** Hops from key to key through the index of held rows, so that a key with 100 000 of them costs one step. */
    private static final String CLOSED_KEYS_FROM = """
            keys as (
                (select key_hash, 1 as number from {outbox} where status = 'HELD' and key_hash >= ? order by key_hash limit 1)
                union all
                select (select h.key_hash from {outbox} h
                        where h.status = 'HELD' and h.key_hash > k.key_hash
                        order by h.key_hash limit 1),
                       k.number + 1
                from keys k where k.key_hash is not null and k.number < ?
            ), closed_keys as materialized (
                select key_hash from keys where key_hash is not null
            )""";

    /** Most keys of which something has changed are not closed at all: one step for each. */
    private static final String CLOSED_KEYS_GIVEN = """
            closed_keys as materialized (
                select k.key_hash from unnest(?::bigint[]) as k(key_hash)
                where (select h.key_hash from {outbox} h
                       where h.key_hash = k.key_hash and h.status = 'HELD'
                       order by h.key_hash limit 1) is not null
            )""";

    /** Hops from one to the next, however many events wait for each. */
    private static final String BLOCKED_DESTINATIONS = """
            with recursive waited_for as (
                (select blocked_by from {outbox} where status = 'BLOCKED' and blocked_by > ? order by blocked_by limit 1)
                union all
                select (select b.blocked_by from {outbox} b
                        where b.status = 'BLOCKED' and b.blocked_by > w.blocked_by
                        order by b.blocked_by limit 1)
                from waited_for w where w.blocked_by is not null
            )
            select blocked_by from waited_for where blocked_by is not null limit ?
            """;

    /** Those written first, so that no later event of a key goes on before an earlier one. */
    private static final String RELEASE_BLOCKED = """
            with chosen as materialized (
                select id from {outbox}
                where status = 'BLOCKED' and blocked_by = ?
                order by blocked_by, id
                limit ?
                for update skip locked
            )
            update {outbox} o
            set status = 'PENDING', blocked_by = null, holds_key = false, version = o.version % 2147483647 + 1,
                updated_at = clock_timestamp()
            where o.id = any (array(select id from chosen))
            """;

    /** The same whatever they wait for, after a given one: who asks tells where the last time ended. */
    private static final String RELEASE_ANY_BLOCKED = """
            with chosen as materialized (
                select id, blocked_by from {outbox}
                where status = 'BLOCKED' and (blocked_by, id) > (?, ?)
                order by blocked_by, id
                limit ?
                for update skip locked
            ), released as (
                update {outbox} o
                set status = 'PENDING', blocked_by = null, holds_key = false, version = o.version % 2147483647 + 1,
                    updated_at = clock_timestamp()
                where o.id = any (array(select id from chosen))
            )
            select c.blocked_by, c.id, (select count(*) from chosen) as events
            from chosen c
            order by c.blocked_by desc, c.id desc
            limit 1
            """;

    /**
     * Those that waited behind a blocked event that is no longer there: the first unfinished event of their key is one of them. At
     * most so many are looked at, after a given one, each at the cost of one step to the first of its key.
     */
    private static final String RELEASE_FOLLOWERS = """
            with looked_at as materialized (
                select id, blocked_by, key_hash, holds_key
                from {outbox}
                where status = 'BLOCKED' and (blocked_by, id) > (?, ?)
                order by blocked_by, id
                limit ?
            ), left_behind as materialized (
                select l.id
                from looked_at l
                cross join lateral (
                    select e.id, e.status, e.holds_key from {outbox} e
                    where e.key_hash = l.key_hash
                      and e.status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')
                      and (e.status <> 'PENDING' or e.next_attempt_at is null
                           or e.next_attempt_at <= statement_timestamp())
                      and (e.status <> 'DEAD_LETTER' or e.holds_key)
                    order by e.key_hash, e.id
                    limit 1
                ) first
                where not l.holds_key and first.status = 'BLOCKED' and not first.holds_key
            ), locked as materialized (
                select o.id from {outbox} o
                where o.id = any (array(select id from left_behind))
                  and case when o.status = 'BLOCKED' and not o.holds_key then true else false end
                for update of o skip locked
            ), released as (
                update {outbox} o
                set status = 'PENDING', blocked_by = null, version = o.version % 2147483647 + 1,
                    updated_at = clock_timestamp()
                where o.id = any (array(select id from locked))
                returning o.id
            )
            select l.blocked_by, l.id, (select count(*) from looked_at) as looked, (select count(*) from released) as events
            from looked_at l
            order by l.blocked_by desc, l.id desc
            limit 1
            """;

    private static final String RENEW_INSTANCE = """
            insert into {lease} as l (name, owner, expires_at, state)
            values ('relay/' || ?, ?, clock_timestamp() + ? * interval '1 millisecond', ?)
            on conflict (name) do update
            set expires_at = excluded.expires_at, state = excluded.state,
                failing_since = case when split_part(excluded.state, ',', 1) <> 'closed' then coalesce(l.failing_since, clock_timestamp()) end
            """;

    private static final String RELEASE_INSTANCE = """
            with released as (
                delete from {lease} where owner = ?
            )
            update {outbox} o
            set status = 'PENDING', locked_by = null, locked_at = null,
                version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
            where o.status = 'SENDING' and o.locked_by = ?
            """;

    /**
     * Takes rows only from owners without a live lease, however long they have been SENDING. Leases
     * long expired are dropped on the way.
     */
    private static final String RECOVER_STALLED = """
            with forgotten as (
                delete from {lease}
                where name like 'relay/%' and expires_at < clock_timestamp() - interval '10 minutes'
            ), stalled as (
                select o.id from {outbox} o
                where o.status = 'SENDING'
                  and not exists (
                    select 1 from {lease} l
                    where l.name = 'relay/' || o.locked_by and l.expires_at > statement_timestamp())
                limit ?
                for update of o skip locked
            )
            update {outbox} o
            set status = 'PENDING', abandoned = least(o.abandoned, 2147483646) + 1, locked_by = null, locked_at = null,
                version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
            where o.id = any (array(select id from stalled))
            """;

    private static final String TRY_LEASE = """
            insert into {lease} as l (name, owner, acquired_at, expires_at)
            values (?, ?, clock_timestamp(), clock_timestamp() + ? * interval '1 millisecond')
            on conflict (name) do update
            set owner = excluded.owner, expires_at = excluded.expires_at,
                acquired_at = case when l.owner = excluded.owner then l.acquired_at else excluded.acquired_at end
            where l.owner = excluded.owner or l.expires_at <= clock_timestamp()
            """;

    private static final String RELEASE_LEASE = """
            delete from {lease} where name = ? and owner = ?
            """;

    private static final String DELETE_OLD =
            "delete from {outbox} o where o.id = any (array(select id from old)) returning o.id";

    /** To pass a row that cannot be deleted. */
    private static final String DELETE_NOTHING = "select id from old limit 0";

    /**
     * Walks the index by {@code created_at}, which is never later than {@code published_at}, from exactly where
     * the last chunk ended: entries of deleted rows stay in the index for as long as some transaction might see them, and
     * must not be met again by every chunk. The limit is on rows looked at, not on rows deleted: events that were written
     * long ago and published lately, after an outage, are passed once in a run and not once in each of its
     * chunks, and no chunk costs more than its limit.
     *
     * <p>The rows are found by their ids in an array, whatever the planner believes of their state: statistics from a
     * time when few rows were published made it read all of them for every chunk.
     */
    private static final String PURGE_PUBLISHED = """
            with looked_at as materialized (
                select id, created_at, published_at
                from {outbox}
                where status = 'PUBLISHED'
                  and created_at < statement_timestamp() - ? * interval '1 millisecond'
                  and (created_at, id) > (?, ?)
                order by created_at, id
                limit ?
            ), old as materialized (
                select o.id
                from {outbox} o
                where o.id = any (array(
                        select l.id from looked_at l
                        where l.published_at < statement_timestamp() - ? * interval '1 millisecond'))
                  and case o.status when 'PUBLISHED' then true else false end
                for update of o skip locked
            ), deleted as (
                %s
            )
            select (select count(*) from looked_at) as looked,
                   (select count(*) from deleted) as deleted,
                   l.created_at, l.id
            from (select 1) one
            left join (select created_at, id from looked_at order by created_at desc, id desc limit 1) l on true
            """;

    private static final String PUT_NOTE = """
            insert into {settings} (name, value) values (?, ?)
            on conflict (name) do update set value = excluded.value
            """;

    static final String NOW = "select clock_timestamp() as now";

    static final String SETTING = """
            select value from {settings} where name = ?
            """;
}
