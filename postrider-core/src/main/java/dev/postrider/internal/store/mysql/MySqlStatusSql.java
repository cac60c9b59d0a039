package dev.postrider.internal.store.mysql;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.jdbc.ClaimStatus;

/** The statements that ask how an outbox on MariaDB or MySQL stands, for one table. Every count has its cap. */
final class MySqlStatusSql {
    private MySqlStatusSql() {}

    static ClaimStatus.Words of(OutboxTable table) {
        return new ClaimStatus.Words(
                MySqlSql.forTable(table, COUNT_FAILED),
                MySqlSql.forTable(table, BACKLOG),
                MySqlSql.forTable(table, COUNT_BY_STATUS),
                MySqlSql.forTable(table, RELAYS),
                OPEN_TRANSACTIONS,
                MySqlSql.forTable(table, BLOCKED),
                MySqlSql.forTable(table, STRANGE),
                MySqlSql.forTable(table, MySqlSql.SETTING));
    }

    private static final String RELAYS = """
            select l.owner, l.expires_at > utc_timestamp(6) as alive, coalesce(l.state, 'closed') as circuit,
                   timestampdiff(microsecond, l.acquired_at, utc_timestamp(6)) / 1000000 as age,
                   (select count(*) from {outbox} o force index ({name}_status)
                    where o.status = 'SENDING' and o.locked_by = l.owner) as sending
            from {lease} l
            where l.name like 'relay/%'
            order by l.acquired_at
            """;

    /** Connections to this database with a transaction that has changed rows; those that the user may see. */
    private static final String OPEN_TRANSACTIONS = """
            select t.trx_mysql_thread_id as pid, null as gid,
                   timestampdiff(microsecond, t.trx_started, convert_tz(utc_timestamp(6), '+00:00', 'SYSTEM'))
                       / 1000000 as age, lower(t.trx_state) as state
            from information_schema.innodb_trx t join information_schema.processlist p on p.id = t.trx_mysql_thread_id
            where p.db = database() and t.trx_rows_modified > 0 and p.id <> connection_id()
            order by t.trx_started
            limit 5
            """;

    private static final String BLOCKED = """
            select b.destination, b.events, f.last_error as reason,
                   timestampdiff(microsecond, coalesce(f.first_failed_at, f.updated_at), utc_timestamp(6)) / 1000000 as since
            from (
                select destination, count(*) as events, min(id) as first_id
                from (select blocked_by as destination, id from {outbox} force index ({name}_blocked)
                      where blocked_by is not null limit ?) capped
                group by destination
                order by destination
                limit 100
            ) b
            left join {outbox} f on f.id = b.first_id
            """;

    /** There are none unless the table's constraint is gone or was not checked. Ranges of the index between known ones. */
    private static final String STRANGE = """
            select count(*) from (
                select 1 from {outbox} force index ({name}_status)
                where status not in ('PENDING', 'SENDING', 'PUBLISHED', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')
                limit ?) capped
            """;

    private static final String COUNT_FAILED = """
            select count(*) from (
                select 1 from {outbox} force index ({name}_status) where status = 'FAILED' limit ?) capped
            """;

    /** Each part is counted within one index, without looking at the rows. */
    private static final String BACKLOG = """
            select (select count(*) from (
                        select 1 from {outbox} force index ({name}_due) where to_send in (1, 2) limit ?) waiting)
                 + (select count(*) from (
                        select 1 from {outbox} force index ({name}_status) where status = 'SENDING' limit ?) sent)
                 + (select count(*) from (
                        select 1 from {outbox} force index ({name}_held) where held_key is not null limit ?) held)
                 + (select count(*) from (
                        select 1 from {outbox} force index ({name}_blocked) where blocked_by is not null limit ?) blocked)
                       as unsent,
                   timestampdiff(microsecond, (select min(nullif(created_at, 0)) from (
                        (select created_at from {outbox} force index ({name}_due)
                         where to_send = 1 and next_attempt_at is null order by id limit 1)
                        union all (select created_at from {outbox} force index ({name}_due)
                         where to_send = 2 and next_attempt_at is null order by id limit 1)
                        union all (select min(created_at) from {outbox}
                         where status = 'SENDING' and created_at > '1000-01-01')
                        union all (select min(created_at) from {outbox}
                         where status = 'FAILED' and created_at > '1000-01-01')
                        union all (select min(created_at) from {outbox}
                         where status = 'HELD' and created_at > '1000-01-01')
                        union all (select min(created_at) from {outbox}
                         where status = 'BLOCKED' and created_at > '1000-01-01')) firsts),
                        utc_timestamp(6)) / 1000000 as oldest
            """;

    private static final String COUNT_BY_STATUS = """
            select
                (select count(*) from (select 1 from {outbox} force index ({name}_status)
                    where status = 'PENDING' limit ?) capped) as pending,
                (select count(*) from (select 1 from {outbox} force index ({name}_status)
                    where status = 'SENDING' limit ?) capped) as sending,
                (select count(*) from (select 1 from {outbox} force index ({name}_status)
                    where status = 'PUBLISHED' limit ?) capped) as published,
                (select count(*) from (select 1 from {outbox} force index ({name}_status)
                    where status = 'FAILED' limit ?) capped) as failed,
                (select count(*) from (select 1 from {outbox} force index ({name}_status)
                    where status = 'HELD' limit ?) capped) as held,
                (select count(*) from (select 1 from {outbox} force index ({name}_status)
                    where status = 'BLOCKED' limit ?) capped) as blocked,
                (select count(*) from (select 1 from {outbox} force index ({name}_status)
                    where status = 'DEAD_LETTER' limit ?) capped) as dead_letter
            """;
}
