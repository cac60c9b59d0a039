package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.jdbc.ClaimStatus;

/** The statements that ask how an outbox on PostgreSQL stands, for one table. Every count has its cap. */
final class PostgresStatusSql {
    final String countFailed;
    final String backlog;
    final String countByStatus;
    final String relays;
    final String setting;
    final String blocked;
    final String blockedOfLog;
    final String countFailedOfLog;
    final String countBesideLog;
    final String countPublishedOfLog;
    final String unrecordedOfLog;
    final String strangeToClaims;
    final String strangeToLog;
    final String passed;
    final String failOvers;

    PostgresStatusSql(OutboxTable table) {
        this.countFailed = PostgresSql.forTable(table, COUNT_FAILED);
        this.backlog = PostgresSql.forTable(table, BACKLOG);
        this.countByStatus = PostgresSql.forTable(table, COUNT_BY_STATUS);
        this.relays = PostgresSql.forTable(table, RELAYS);
        this.setting = PostgresSql.forTable(table, PostgresSql.SETTING);
        this.blocked = PostgresSql.forTable(table, BLOCKED);
        this.blockedOfLog = PostgresSql.forTable(table, BLOCKED_OF_LOG);
        this.countFailedOfLog = PostgresSql.forTable(table, COUNT_FAILED_OF_LOG);
        this.countBesideLog = PostgresSql.forTable(table, COUNT_BESIDE_LOG);
        this.countPublishedOfLog = PostgresSql.forTable(table, COUNT_PUBLISHED_OF_LOG);
        this.unrecordedOfLog = PostgresSql.forTable(table, UNRECORDED_OF_LOG);
        this.strangeToClaims = PostgresSql.forTable(table, STRANGE_TO_CLAIMS)
                .replace("{strange_to_claims}", PostgresLayoutSql.STRANGE_TO_CLAIMS);
        this.strangeToLog = PostgresSql.forTable(table, STRANGE_TO_LOG)
                .replace("{strange_to_log}", PostgresLayoutSql.STRANGE_TO_LOG);
        this.passed = PostgresSql.forTable(table, PASSED);
        this.failOvers = PostgresSql.forTable(table, FAIL_OVERS);
    }

    ClaimStatus.Words ofClaims() {
        return new ClaimStatus.Words(
                countFailed, backlog, countByStatus, relays, OPEN_TRANSACTIONS, blocked, strangeToClaims, setting);
    }

    // ---- either mode

    private static final String RELAYS = """
            select l.owner, l.expires_at > clock_timestamp() as alive, coalesce(l.state, 'closed') as circuit,
                   extract(epoch from clock_timestamp() - l.acquired_at) as age,
                   (select count(*) from {outbox} o where o.status = 'SENDING' and o.locked_by = l.owner) as sending
            from {lease} l
            where l.name like 'relay/%'
            order by l.acquired_at
            """;

    /** Transactions that have written and not ended. A prepared one has no server process, only its name. */
    static final String OPEN_TRANSACTIONS = """
            select pid, null as gid, extract(epoch from clock_timestamp() - xact_start) as age,
                   coalesce(state, 'unknown') as state
            from pg_stat_activity
            where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()
            union all
            select null, gid, extract(epoch from clock_timestamp() - prepared), 'prepared'
            from pg_prepared_xacts
            where database = current_database()
            order by age desc nulls last
            limit 5
            """;

    // ---- claim

    /**
     * The condition is that of a partial index. Rows that were delivered when the outbox was a log keep their status until the
     * change of its mode has come to its end.
     */
    private static final String STRANGE_TO_CLAIMS = """
            select count(*) from (
                select 1 from {outbox}
                where {strange_to_claims}
                  and id > coalesce((select s.value::bigint from {settings} s where s.name = 'later_delivered_until'),
                                    -9223372036854775808)
                limit ?) capped
            """;

    private static final String COUNT_FAILED = """
            select count(*) from (select 1 from {outbox} where status = 'FAILED' limit ?) capped
            """;

    /** Each part is counted within one index, without looking at the rows. */
    private static final String BACKLOG = """
            select (select count(*) from (
                        (select 1 from {outbox} where status in ('PENDING', 'FAILED') limit ?)
                        union all (select 1 from {outbox} where status = 'SENDING' limit ?)
                        union all (select 1 from {outbox} where status = 'HELD' limit ?)
                        union all (select 1 from {outbox} where status = 'BLOCKED' limit ?)) capped) as unsent,
                   extract(epoch from clock_timestamp() - least(
                        (select case when isfinite(created_at) then created_at end from {outbox}
                         where status in ('PENDING', 'FAILED') and next_attempt_at is null
                         order by next_attempt_at nulls first, id limit 1),
                        (select min(created_at) from {outbox}
                         where status = 'SENDING' and created_at > '-infinity' and created_at < 'infinity'),
                        (select min(created_at) from {outbox}
                         where status = 'FAILED' and created_at > '-infinity' and created_at < 'infinity'),
                        (select min(created_at) from {outbox}
                         where status = 'HELD' and created_at > '-infinity' and created_at < 'infinity'),
                        (select min(created_at) from {outbox}
                         where status = 'BLOCKED' and created_at > '-infinity' and created_at < 'infinity'))) as oldest
            """;

    /** Each state is spelled out: only then can the planner use the partial indexes. */
    private static final String COUNT_BY_STATUS = """
            select
                (select count(*) from (
                    select 1 from {outbox} where status = 'PENDING' limit ?) capped) as pending,
                (select count(*) from (
                    select 1 from {outbox} where status = 'SENDING' limit ?) capped) as sending,
                (select count(*) from (
                    select 1 from {outbox} where status = 'PUBLISHED' limit ?) capped) as published,
                (select count(*) from (
                    select 1 from {outbox} where status = 'FAILED' limit ?) capped) as failed,
                (select count(*) from (
                    select 1 from {outbox} where status = 'HELD' limit ?) capped) as held,
                (select count(*) from (
                    select 1 from {outbox} where status = 'BLOCKED' limit ?) capped) as blocked,
                (select count(*) from (
                    select 1 from {outbox} where status = 'DEAD_LETTER' limit ?) capped) as dead_letter
            """;

    private static final String BLOCKED = """
            select b.destination, b.events, f.last_error as reason,
                   extract(epoch from clock_timestamp() - coalesce(f.first_failed_at, f.updated_at)) as since
            from (
                select destination, count(*) as events, min(id) as first_id
                from (select blocked_by as destination, id from {outbox} where status = 'BLOCKED' limit ?) capped
                group by destination
                order by destination
                limit 100
            ) b
            left join {outbox} f on f.id = b.first_id
            """;

    // ---- log

    private static final String STRANGE_TO_LOG = """
            select count(*) from (select 1 from {outbox} where {strange_to_log} limit ?) capped
            """;

    private static final String BLOCKED_OF_LOG = """
            select b.destination, b.events, f.last_error as reason,
                   extract(epoch from clock_timestamp() - f.parked_at) as since
            from (
                select destination, count(*) as events, min(outbox_id) as first_id
                from (select destination, outbox_id from {parked} where state = 'BLOCKED' limit ?) capped
                group by destination
                order by destination
                limit 100
            ) b
            left join {parked} f on f.outbox_id = b.first_id
            """;

    /** As {@link #COUNT_BESIDE_LOG}, of that state only. */
    private static final String COUNT_FAILED_OF_LOG = """
            select count(*) from (
                (select 1 from {parked} where state = 'FAILED' limit ?)
                union all (select 1 from {parked} where state = 'RETRY' limit ?)) capped
            """;

    /**
     * Conditions are spelled out as those of the partial indexes. The oldest is looked for among all that the cap lets
     * see, as there is no index by time.
     */
    private static final String COUNT_BESIDE_LOG = """
            select
                (select count(*) from (
                    (select 1 from {parked} where state = 'FAILED' limit ?)
                    union all (select 1 from {parked} where state = 'RETRY' limit ?)) capped) as failed,
                (select count(*) from (
                    select 1 from {parked} where holds and state = 'QUEUED' limit ?) capped) as held,
                (select count(*) from (
                    select 1 from {parked} where state = 'BLOCKED' limit ?) capped) as blocked,
                (select count(*) from (
                    select 1 from {parked} where state = 'SCHEDULED' limit ?) capped) as scheduled,
                (select count(*) from (
                    (select 1 from {dead_letter} limit ?)
                    union all (select 1 from {parked} f
                               where f.state = 'DEAD'
                                 and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
                               limit ?)) capped) as dead_letter,
                (select extract(epoch from clock_timestamp() - min(since) filter (where since > '-infinity' and since < 'infinity')) from (
                    (select coalesce(created_at, parked_at) as since from {parked} where state = 'FAILED' limit ?)
                    union all (select parked_at from {parked} where state = 'RETRY' limit ?)
                    union all (select parked_at from {parked} where holds and state = 'QUEUED' limit ?)
                    union all (select parked_at from {parked} where state = 'BLOCKED' limit ?)) capped) as oldest
            """;

    /** Dead events that no table took when they died: those of them that none has now. */
    private static final String UNRECORDED_OF_LOG = """
            select count(distinct id)
            from {settings} s, unnest(string_to_array(s.value, ',')) as id
            where s.name = 'unrecorded_dead_letters'
              and case when id ~ '^[0-9]{1,18}$'
                       then not exists (select 1 from {dead_letter} l where l.outbox_id = id::bigint)
                            and not exists (select 1 from {parked} f where f.outbox_id = id::bigint) end
            """;

    /**
     * How many rows there are, less those ahead of the cursors and those that stand beside the log or were given up and
     * are still there. What was published in claim mode, before it was a log, counts as well.
     */
    private static final String COUNT_PUBLISHED_OF_LOG = """
            with beside as (
                select outbox_id from (select outbox_id from {parked} limit ?) parked
                union
                select outbox_id from (select outbox_id from {dead_letter} limit ?) dead
            ), unpublished as (
                select ? + count(*) as events
                from beside b
                where exists (select 1 from {outbox} o where o.id = b.outbox_id and o.status = 'LOG')
            )
            select (select count(*) from (
                        select 1 from {outbox} where status = 'LOG'
                        limit ? + (select events from unpublished)) capped)
                 - (select events from unpublished)
                 + (select count(*) from (
                        select 1 from {outbox} where status = 'PUBLISHED' limit ?) capped) as published
            """;

    /** What {@link PostgresLogSql} has noted, as far as it is still there. */
    private static final String PASSED = """
            select o.id
            from {settings} s
            cross join unnest(string_to_array(s.value, ',')) as noted
            join {outbox} o
              on o.id = case when noted ~ '^-?[0-9]{1,18}:' then split_part(noted, ':', 1)::bigint end
             and o.tx_id::text = split_part(noted, ':', 2)
            where s.name = 'passed_rows'
              and not exists (select 1 from {dead_letter} d where d.outbox_id = o.id)
            order by o.id
            limit ?
            """;

    /** A relay that finds another timeline takes its shards over anew. The row before is of the old one. */
    private static final String FAIL_OVERS = """
            select f.shard, extract(epoch from clock_timestamp() - f.at) as ago, p.timeline as before, f.timeline as after
            from {cursor} f
            cross join lateral (
                select n.timeline from {cursor} n where n.shard = f.shard and n.seq < f.seq order by n.seq desc limit 1
            ) p
            where f.fence and p.timeline <> f.timeline
            order by f.at desc
            limit 100
            """;
}
