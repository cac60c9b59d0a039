package dev.postrider.internal.store.mysql;

import dev.postrider.OutboxTable;

/**
 * Every statement Postrider sends to an outbox on MariaDB or MySQL but those of operators, for one table. Nothing but the
 * checked table names is ever put into the text.
 *
 * <p>Many rows are one parameter: a JSON array of arrays, which {@code json_table} makes a table of. It is always read
 * first ({@code straight_join}), and the outbox by its primary key. Indexes are named everywhere, because every statement
 * of a relay has one good plan, and statistics suggest others: to read a small table as a whole, and with it to wait for
 * rows that somebody else has locked; or to sort a large one.
 *
 * <p>{@code utc_timestamp(6)} is the database's clock when the statement began, whatever time zone the session has.
 */
final class MySqlSql {
    /** As many keys as {@link #GATES_BETWEEN} takes at a time; the last one is repeated to fill it up. */
    static final int KEYS_AT_A_TIME = 200;

    final String insert;
    final String ofRequest;
    final String lockReady;
    final String lockDue;
    final String firstOfKeys;
    final String gatesBetween;
    final String sizes;
    final String markSending;
    final String markHeld;
    final String unblock;
    final String lookAtBlocked;
    final String lockFollowers;
    final String lockBlocked;
    final String nextBlocked;
    final String markBlocked;
    final String markBehindBlocked;
    final String readClaimed;
    final String lockSuspects;
    final String nextDue;
    final String outlook;
    final String deathsOfSuspects;
    final String recorded;
    final String stillThere;
    final String lockSent;
    final String markPublished;
    final String deletePublished;
    final String markFailed;
    final String giveBack;
    final String markDead;
    final String writeLetters;
    final String describe;
    final String closedKeys;
    final String closedKeysNowOpen;
    final String lockHeld;
    final String release;
    final String renewInstance;
    final String forgetOwner;
    final String claimedBy;
    final String putBack;
    final String forgetDeadRelays;
    final String findStalled;
    final String lockStalled;
    final String recover;
    final String tryLease;
    final String holdsLease;
    final String releaseLease;
    final String findPurgeable;
    final String lockPurgeable;
    final String deleteAll;
    final String putNote;
    final String setting;

    MySqlSql(OutboxTable table) {
        this.insert = forTable(table, INSERT);
        this.ofRequest = forTable(table, OF_REQUEST);
        this.lockReady = forTable(table, LOCK_READY);
        this.lockDue = forTable(table, LOCK_DUE);
        this.firstOfKeys = forTable(table, FIRST_OF_KEYS);
        this.gatesBetween = forTable(table, GATES_BETWEEN);
        this.sizes = forTable(table, SIZES);
        this.markSending = forTable(table, MARK_SENDING);
        this.markHeld = forTable(table, MARK_HELD);
        this.unblock = forTable(table, UNBLOCK);
        this.lookAtBlocked = forTable(table, LOOK_AT_BLOCKED);
        this.lockFollowers = forTable(table, LOCK_FOLLOWERS);
        this.lockBlocked = forTable(table, LOCK_BLOCKED);
        this.nextBlocked = forTable(table, NEXT_BLOCKED);
        this.markBlocked = forTable(table, MARK_BLOCKED);
        this.markBehindBlocked = forTable(table, MARK_BEHIND_BLOCKED);
        this.readClaimed = forTable(table, READ_CLAIMED);
        this.lockSuspects = forTable(table, LOCK_SUSPECTS);
        this.nextDue = forTable(table, NEXT_DUE);
        this.outlook = forTable(table, OUTLOOK);
        this.deathsOfSuspects = forTable(table, DEATHS_OF_SUSPECTS);
        this.recorded = forTable(table, RECORDED);
        this.stillThere = forTable(table, STILL_THERE);
        this.lockSent = forTable(table, LOCK_SENT);
        this.markPublished = forTable(table, MARK_PUBLISHED);
        this.deletePublished = forTable(table, DELETE_PUBLISHED);
        this.markFailed = forTable(table, MARK_FAILED);
        this.giveBack = forTable(table, GIVE_BACK);
        this.markDead = forTable(table, MARK_DEAD);
        this.writeLetters = forTable(table, WRITE_LETTERS);
        this.describe = forTable(table, DESCRIBE);
        this.closedKeys = forTable(table, CLOSED_KEYS);
        this.closedKeysNowOpen = forTable(table, CLOSED_KEYS_NOW_OPEN);
        this.lockHeld = forTable(table, LOCK_HELD);
        this.release = forTable(table, RELEASE);
        this.renewInstance = forTable(table, RENEW_INSTANCE);
        this.forgetOwner = forTable(table, FORGET_OWNER);
        this.claimedBy = forTable(table, CLAIMED_BY);
        this.putBack = forTable(table, PUT_BACK);
        this.forgetDeadRelays = forTable(table, FORGET_DEAD_RELAYS);
        this.findStalled = forTable(table, FIND_STALLED);
        this.lockStalled = forTable(table, LOCK_STALLED);
        this.recover = forTable(table, RECOVER);
        this.tryLease = forTable(table, TRY_LEASE);
        this.holdsLease = forTable(table, HOLDS_LEASE);
        this.releaseLease = forTable(table, RELEASE_LEASE);
        this.findPurgeable = forTable(table, FIND_PURGEABLE);
        this.lockPurgeable = forTable(table, LOCK_PURGEABLE);
        this.deleteAll = forTable(table, DELETE_ALL);
        this.putNote = forTable(table, PUT_NOTE);
        this.setting = forTable(table, SETTING);
    }

    static String forTable(OutboxTable table, String statement) {
        return statement
                .replace("{outbox}", quoted(table.sql()))
                .replace("{lease}", quoted(table.leaseSql()))
                .replace("{dead_letter}", quoted(table.deadLetterSql()))
                .replace("{audit}", quoted(table.auditSql()))
                .replace("{settings}", quoted(table.settingsSql()))
                .replace("{name}", table.name());
    }

    /** A name as this family quotes it, whatever the SQL mode. */
    static String quoted(String name) {
        return name.replace('"', '`');
    }

    // ---- sessions

    /**
     * What it was before is kept in variables of the session. What stands in comments is for MariaDB alone; MySQL has
     * nothing like it.
     */
    static final String PREPARE_SESSION = """
            set @postrider_isolation = ?,
                @postrider_row_wait = @@innodb_lock_wait_timeout, @postrider_wait = @@lock_wait_timeout,
                @postrider_mode = @@sql_mode /*M! , @postrider_idle = @@idle_transaction_timeout */,
                session innodb_lock_wait_timeout = 5, session lock_wait_timeout = 5,
                session sql_mode = 'STRICT_ALL_TABLES' /*M! , session idle_transaction_timeout = 10 */
            """;

    static final String RESTORE_SESSION = """
            set session innodb_lock_wait_timeout = @postrider_row_wait, session lock_wait_timeout = @postrider_wait,
                session sql_mode = @postrider_mode /*M! , session idle_transaction_timeout = @postrider_idle */
            """;

    static final String FORMER_ISOLATION = "select @postrider_isolation";

    /** Whether ids may come from several primaries. */
    static final String ID_SETTINGS = """
            show global variables where variable_name in ('auto_increment_increment', 'wsrep_on')
            """;

    static final String NOW = "select utc_timestamp(6) as now";

    /** Run once, after the tables have been created. The names are those of every outbox; here they have one value. */
    static final String LAYOUT = """
            replace into {settings} (name, value) values
                ('mode', 'claim'), ('shards', '1'), ('delivery', 'at-least-once'), ('schema_version', '{schema_version}');
            """;

    // ---- writing

    private static final String INSERT = """
            insert into {outbox} (event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                payload, payload_binary, content_type, headers, request_id, content_hash,
                occurred_at, next_attempt_at, max_retries)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, utc_timestamp(6)), ?, ?)
            """;

    private static final String OF_REQUEST = "select id from {outbox} where request_id = ?";

    // ---- claiming: the statements of one short transaction, in this order

    /** 1. Lock what is due at once, by id, from a given one on. */
    private static final String LOCK_READY = """
            select id, key_hash, created_at as due_at
            from {outbox} force index ({name}_due)
            where to_send = 1 and next_attempt_at is null and id >= ?
              and ((key_hash % ?) + ?) % ? = ?
            order by to_send, next_attempt_at, id
            limit ?
            for update skip locked
            """;

    /** 2. Lock what has waited for its time. */
    private static final String LOCK_DUE = """
            select id, key_hash, next_attempt_at as due_at
            from {outbox} force index ({name}_due)
            where to_send = 1 and next_attempt_at <= utc_timestamp(6)
              and ((key_hash % ?) + ?) % ? = ?
            order by next_attempt_at, id
            limit ?
            for update skip locked
            """;

    /**
     * What becomes due next: one step into the index. Whose part of a static split it is does not matter.
     * Asked before {@link #LOCK_DUE}: what comes due between two statements is met by both, not by neither.
     */
    private static final String NEXT_DUE = """
            select timestampdiff(microsecond, utc_timestamp(6), next_attempt_at) / 1000000.0 as next_due
            from {outbox} force index ({name}_due)
            where to_send = 1 and next_attempt_at > utc_timestamp(6)
            order by to_send, next_attempt_at, id
            limit 1
            """;

    /**
     * 3. The first unfinished event of each key. Not bounded by the locked ones, so that it is one step into the index
     * however many wait behind it.
     */
    private static final String FIRST_OF_KEYS = """
            select f.key_hash, e.id, e.status, e.blocked_by, e.next_attempt_at is not null as timed,
                   e.locked_at < utc_timestamp(6) - interval 1 second as slow
            from (
                select k.key_hash,
                       (select u.id from {outbox} u force index ({name}_key)
                        where u.open_key = k.key_hash
                          and (u.status <> 'PENDING' or u.next_attempt_at is null
                               or u.next_attempt_at <= utc_timestamp(6))
                        order by u.id
                        limit 1) as id
                from json_table(?, '$[*]' columns (key_hash bigint path '$[0]')) k
            ) f straight_join {outbox} e force index (primary) on e.id = f.id
            """;

    /**
     * 4. Of keys with several locked events, every unfinished one between the first and the last of all locked. The keys
     * are spelled out, because only then both ends of the range are ends of the scan.
     */
    private static final String GATES_BETWEEN = """
            select e.open_key as key_hash, e.id, e.status, e.blocked_by, e.next_attempt_at is not null as timed,
                   e.locked_at < utc_timestamp(6) - interval 1 second as slow
            from {outbox} e force index ({name}_key)
            where e.open_key in (%s)
              and e.id > ? and e.id < ?
              and (e.status <> 'PENDING' or e.next_attempt_at is null or e.next_attempt_at <= utc_timestamp(6))
            """.formatted("?, ".repeat(KEYS_AT_A_TIME - 1) + "?");

    /** 5. How large those before the gates of their keys are. To know that, the server reads them. */
    private static final String SIZES = """
            select o.id, coalesce(octet_length(o.payload), 0) + coalesce(octet_length(o.payload_binary), 0)
                   + coalesce(octet_length(o.headers), 0) + octet_length(o.event_type) + octet_length(o.aggregate_type)
                   + octet_length(o.aggregate_id) + coalesce(octet_length(o.event_key), 0)
                   + coalesce(octet_length(o.source), 0) + octet_length(o.content_type)
                   + coalesce(octet_length(o.request_id), 0) + coalesce(octet_length(o.content_hash), 0) as size
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            """;

    /** 6. Take as many of them as fit. */
    private static final String MARK_SENDING = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'SENDING', o.locked_by = ?, o.locked_at = utc_timestamp(6),
                o.version = o.version % 2147483647 + 1, o.claims = least(o.claims, 2147483646) + 1, o.updated_at = utc_timestamp(6)
            """;

    /**
     * 7. Set those behind a gate that failed or is slow aside, so that the next claim does not meet them again. So too behind
     * one that has become due and was not met: those before it by due time may be so many that no claim ever gets to it.
     */
    private static final String MARK_HELD = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'HELD', o.version = o.version % 2147483647 + 1, o.updated_at = utc_timestamp(6)
            """;

    /** Also 7: those behind one that waits for its destination wait for it too, and go on with it. */
    private static final String MARK_BEHIND_BLOCKED = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]', destination varchar(255) path '$[1]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'BLOCKED', o.blocked_by = s.destination, o.holds_key = false, o.version = o.version % 2147483647 + 1,
                o.updated_at = utc_timestamp(6)
            """;

    /** 8. What was taken. Of one that is too large nothing but that it is there. */
    private static final String READ_CLAIMED = """
            select o.id, o.version, o.key_hash, o.attempts, o.abandoned, o.max_retries,
                   timestampdiff(microsecond, o.created_at, utc_timestamp(6)) / 1000000 as age, s.size,
                   o.event_id, o.content_type, o.occurred_at,
                   if(s.fits, o.event_type, null) as event_type, if(s.fits, o.aggregate_type, null) as aggregate_type,
                   if(s.fits, o.aggregate_id, null) as aggregate_id, if(s.fits, o.event_key, null) as event_key,
                   if(s.fits, o.source, null) as source, if(s.fits, o.payload, null) as payload,
                   if(s.fits, o.payload_binary, null) as payload_binary, if(s.fits, o.headers, null) as headers,
                   if(s.fits, o.request_id, null) as request_id, if(s.fits, o.content_hash, null) as content_hash
            from json_table(?, '$[*]' columns (id bigint path '$[0]', size bigint path '$[1]', fits integer path '$[2]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            """;

    /** In the place of the first two: events that relays have died with. */
    private static final String LOCK_SUSPECTS = """
            select id, key_hash, created_at as due_at
            from {outbox} force index ({name}_due)
            where to_send = 2 and abandoned = ? and (next_attempt_at is null or next_attempt_at <= utc_timestamp(6))
              and ((key_hash % ?) + ?) % ? = ?
            order by id
            limit ?
            for update skip locked
            """;

    /**
     * What has become due in the last moments counts too: it may have been written after the last claim. What has been due for
     * longer, and nobody has taken, waits for something else; and the entries of what was taken must not be met again.
     */
    private static final String OUTLOOK = """
            select exists (
                       select 1 from {outbox} force index ({name}_due)
                       where to_send = 2 and (next_attempt_at is null or next_attempt_at <= utc_timestamp(6))) as suspects,
                   (select greatest(0, timestampdiff(microsecond, utc_timestamp(6), next_attempt_at)) / 1000000.0
                    from {outbox} force index ({name}_due)
                    where to_send = 1 and next_attempt_at > utc_timestamp(6) - interval 10 second
                    order by to_send, next_attempt_at, id
                    limit 1) as next_due
            """;

    private static final String DEATHS_OF_SUSPECTS = """
            select distinct abandoned
            from (
                select abandoned from {outbox} force index ({name}_due)
                where to_send = 2 and (next_attempt_at is null or next_attempt_at <= utc_timestamp(6))
                order by id
                limit 10000
            ) suspects
            order by abandoned
            """;

    // ---- settling: one statement per outcome, by id, the event's id and version: truncating lets ids begin anew

    private static final String MARK_PUBLISHED = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]',
                       event_id char(36) character set utf8mb4 path '$[1]', version integer path '$[2]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'PUBLISHED', o.published_at = utc_timestamp(6), o.updated_at = utc_timestamp(6),
                o.next_attempt_at = null, o.locked_by = null, o.locked_at = null, o.last_error = null,
                o.version = o.version % 2147483647 + 1
            where o.version = s.version and o.event_id = s.event_id and o.status = 'SENDING'
            """;

    private static final String DELETE_PUBLISHED = """
            delete o
            from json_table(?, '$[*]' columns (id bigint path '$[0]',
                       event_id char(36) character set utf8mb4 path '$[1]', version integer path '$[2]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            where o.version = s.version and o.event_id = s.event_id and o.status = 'SENDING'
            """;

    private static final String MARK_FAILED = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]', event_id char(36) character set utf8mb4 path '$[1]',
                       version integer path '$[2]', counted integer path '$[3]', delay_millis bigint path '$[4]',
                       error text path '$[5]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'FAILED', o.attempts = least(greatest(o.attempts, 0), 2147483646) + s.counted, o.abandoned = 0,
                o.first_failed_at = coalesce(o.first_failed_at, utc_timestamp(6)),
                o.next_attempt_at = utc_timestamp(6) + interval (s.delay_millis * 1000) microsecond,
                o.last_error = s.error, o.updated_at = utc_timestamp(6),
                o.locked_by = null, o.locked_at = null, o.version = o.version % 2147483647 + 1
            where o.version = s.version and o.event_id = s.event_id and o.status = 'SENDING'
            """;

    private static final String MARK_BLOCKED = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]', event_id char(36) character set utf8mb4 path '$[1]',
                       version integer path '$[2]', destination varchar(255) path '$[3]', error text path '$[4]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'BLOCKED', o.blocked_by = s.destination, o.holds_key = true, o.abandoned = 0, o.next_attempt_at = null,
                o.first_failed_at = coalesce(o.first_failed_at, utc_timestamp(6)),
                o.last_error = s.error, o.updated_at = utc_timestamp(6),
                o.locked_by = null, o.locked_at = null, o.version = o.version % 2147483647 + 1
            where o.version = s.version and o.event_id = s.event_id and o.status = 'SENDING'
            """;

    private static final String GIVE_BACK = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]',
                       event_id char(36) character set utf8mb4 path '$[1]', version integer path '$[2]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'PENDING', o.updated_at = utc_timestamp(6),
                o.locked_by = null, o.locked_at = null, o.version = o.version % 2147483647 + 1
            where o.version = s.version and o.event_id = s.event_id and o.status = 'SENDING'
            """;

    /**
     * If not all were recorded: those that were. From the claimed version there is one step to the next, and only the
     * claimer's outcome makes it one to PUBLISHED, FAILED, BLOCKED or DEAD_LETTER. That to PENDING others make too, and it comes to
     * the same.
     */
    private static final String RECORDED = """
            select o.id
            from json_table(?, '$[*]' columns (id bigint path '$[0]',
                       event_id char(36) character set utf8mb4 path '$[1]', version integer path '$[2]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            where o.version = s.version % 2147483647 + 1 and o.event_id = s.event_id and o.status = ?
            """;

    /**
     * If not all were deleted: those that were not. What somebody else has deleted, he has published; where another event
     * has the id by now, the table was truncated.
     */
    private static final String STILL_THERE = """
            select o.id
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            """;

    /** Before deaths, which are two statements: those that are still the claimer's, and stay so. */
    private static final String LOCK_SENT = """
            select o.id
            from json_table(?, '$[*]' columns (id bigint path '$[0]',
                       event_id char(36) character set utf8mb4 path '$[1]', version integer path '$[2]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            where o.version = s.version and o.event_id = s.event_id and o.status in ('SENDING', 'PENDING', 'FAILED', 'HELD', 'BLOCKED')
            for update
            """;

    private static final String MARK_DEAD = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]',
                       event_id char(36) character set utf8mb4 path '$[1]', error text path '$[4]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id and o.event_id = s.event_id
            set o.status = 'DEAD_LETTER', o.attempts = least(greatest(o.attempts, 0), 2147483646) + 1, o.next_attempt_at = null,
                o.first_failed_at = coalesce(o.first_failed_at, utc_timestamp(6)),
                o.last_error = s.error, o.holds_key = ?, o.blocked_by = null, o.updated_at = utc_timestamp(6),
                o.locked_by = null, o.locked_at = null, o.version = o.version % 2147483647 + 1
            """;

    /**
     * In the transaction of the change of state: both or neither. Where another event has a letter under the same id, from
     * before the table was truncated, it fails: that letter stays as it is, and the net below takes this one.
     */
    private static final String WRITE_LETTERS = """
            insert into {dead_letter} (outbox_id, event_id, event_type, aggregate_type, aggregate_id, event_key,
                source, payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at,
                created_at, attempts, max_retries, error_class, reason, first_failed_at)
            select o.id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key,
                o.source, o.payload, o.payload_binary, o.content_type, o.headers, o.request_id, o.content_hash,
                o.occurred_at, o.created_at, o.attempts, o.max_retries, s.error_class, o.last_error, o.first_failed_at
            from json_table(?, '$[*]' columns (id bigint path '$[0]',
                     event_id char(36) character set utf8mb4 path '$[1]', error_class text path '$[3]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id and o.event_id = s.event_id
            on duplicate key update
                event_id = if({dead_letter}.event_id = values(event_id), {dead_letter}.event_id, null),
                attempts = values(attempts), error_class = values(error_class), reason = values(reason),
                died_at = utc_timestamp(6)
            """;

    /** Of one that is too large, what its row can be found by. */
    private static final String DESCRIBE = """
            select o.id, o.event_id, o.aggregate_type, o.aggregate_id, e.event_type, e.event_key, e.source,
                   e.id is null as payload_omitted, e.payload, e.payload_binary, e.content_type, e.headers, e.request_id, e.content_hash, o.occurred_at,
                   o.created_at, o.attempts, o.max_retries, o.first_failed_at, s.error as last_error
            from json_table(?, '$[*]' columns (id bigint path '$[0]', event_id char(36) character set utf8mb4 path '$[1]',
                     version integer path '$[2]', whole integer path '$[3]', error text path '$[4]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            left join {outbox} e force index (primary) on e.id = o.id and s.whole = 1
            where o.version = s.version and o.event_id = s.event_id and o.status in ('SENDING', 'PENDING', 'FAILED', 'HELD', 'BLOCKED')
            order by o.id
            """;

    // ---- repairs

    /** Closed keys, from a given one on: a step for each, however many events of it are held. */
    private static final String CLOSED_KEYS = """
            select distinct held_key
            from {outbox} force index ({name}_held)
            where held_key >= ?
            order by held_key
            limit ?
            """;

    /**
     * Of some keys, those with held events whose first unfinished event does not hold them any more; one that is due and not yet
     * sent does, as for a claim. Events that are released too early are held again by the next claim.
     */
    private static final String CLOSED_KEYS_NOW_OPEN = """
            select k.key_hash
            from json_table(?, '$[*]' columns (key_hash bigint path '$[0]')) k
            where (select h.held_key from {outbox} h force index ({name}_held) where h.held_key = k.key_hash limit 1) is not null
              and (select b.status = 'HELD' or b.status = 'PENDING' and b.next_attempt_at is null
                   from {outbox} b force index ({name}_key)
                   where b.open_key = k.key_hash
                     and (b.status <> 'PENDING' or b.next_attempt_at is null or b.next_attempt_at <= utc_timestamp(6))
                   order by b.id
                   limit 1)
            """;

    /**
     * What is beyond the limit, or locked by somebody else, is left for the next time; until then it holds back the later
     * events of its key, so that none can overtake. Along the index, which has the events of a key in order; sorting would
     * lock them all.
     */
    private static final String LOCK_HELD = """
            select o.id
            from json_table(?, '$[*]' columns (key_hash bigint path '$[0]')) s
            straight_join {outbox} o force index ({name}_held) on o.held_key = s.key_hash
            limit ?
            for update skip locked
            """;

    /** What was held had been due: from now on it is due at once, in the order of its key whatever the times were. */
    private static final String RELEASE = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'PENDING', o.next_attempt_at = null, o.version = o.version % 2147483647 + 1, o.updated_at = utc_timestamp(6)
            """;

    /** The next destination after a given one that events wait for: one step, however many they are. */
    private static final String NEXT_BLOCKED = """
            select blocked_by from {outbox} force index ({name}_blocked)
            where blocked_by > ? and status = 'BLOCKED'
            order by blocked_by
            limit 1
            """;

    private static final String LOCK_BLOCKED = """
            select id from {outbox} force index ({name}_blocked)
            where blocked_by = ? and id > ? and status = 'BLOCKED'
            order by blocked_by, id
            limit ?
            for update skip locked
            """;

    private static final String UNBLOCK = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'PENDING', o.blocked_by = null, o.holds_key = false, o.version = o.version % 2147483647 + 1,
                o.updated_at = utc_timestamp(6)
            """;

    /**
     * The next blocked events of a destination, and whether they wait behind a blocked one that is no longer there: then the first
     * unfinished event of their key is one of them. Takes no locks: there is hardly ever anything to find.
     */
    private static final String LOOK_AT_BLOCKED = """
            select l.id, not l.holds_key and e.status = 'BLOCKED' and not e.holds_key as left_behind
            from (
                select o.id, o.holds_key,
                       (select u.id from {outbox} u force index ({name}_key)
                        where u.open_key = o.key_hash
                          and (u.status <> 'PENDING' or u.next_attempt_at is null
                               or u.next_attempt_at <= utc_timestamp(6))
                        order by u.id
                        limit 1) as first_id
                from {outbox} o force index ({name}_blocked)
                where o.blocked_by = ? and o.id > ? and o.status = 'BLOCKED'
                order by o.blocked_by, o.id
                limit ?
            ) l straight_join {outbox} e force index (primary) on e.id = l.first_id
            order by l.id
            """;

    private static final String LOCK_FOLLOWERS = """
            select o.id
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            where o.status = 'BLOCKED' and not o.holds_key
            for update skip locked
            """;

    private static final String FORGET_DEAD_RELAYS = """
            delete from {lease} where name like 'relay/%' and expires_at < utc_timestamp(6) - interval 10 minute
            """;

    /** Takes no locks: there is hardly ever anything to find, and rows of relays alive must not be in their way. */
    private static final String FIND_STALLED = """
            select o.id from {outbox} o force index ({name}_status)
            where o.status = 'SENDING'
              and not exists (
                select 1 from {lease} l
                where l.name = concat('relay/', o.locked_by) and l.expires_at > utc_timestamp(6))
            limit ?
            """;

    /** The same once more, of rows that cannot change any more. */
    private static final String LOCK_STALLED = """
            select o.id
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            where o.status = 'SENDING'
              and not exists (
                select 1 from {lease} l
                where l.name = concat('relay/', o.locked_by) and l.expires_at > utc_timestamp(6))
            for update skip locked
            """;

    private static final String RECOVER = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'PENDING', o.abandoned = least(o.abandoned, 2147483646) + 1, o.locked_by = null, o.locked_at = null,
                o.version = o.version % 2147483647 + 1, o.updated_at = utc_timestamp(6)
            """;

    // ---- leases

    private static final String RENEW_INSTANCE = """
            insert into {lease} (name, owner, expires_at, state)
            values (concat('relay/', ?), ?, utc_timestamp(6) + interval (? * 1000) microsecond, ?)
            on duplicate key update expires_at = values(expires_at), state = values(state)
            """;

    private static final String FORGET_OWNER = """
            delete from {lease} where owner = ?
            """;

    private static final String CLAIMED_BY = """
            select id from {outbox} force index ({name}_status) where status = 'SENDING' and locked_by = ?
            """;

    private static final String PUT_BACK = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'PENDING', o.locked_by = null, o.locked_at = null,
                o.version = o.version % 2147483647 + 1, o.updated_at = utc_timestamp(6)
            where o.status = 'SENDING' and o.locked_by = ?
            """;

    /** In this order: every assignment sees what those before it have assigned. */
    private static final String TRY_LEASE = """
            insert into {lease} (name, owner, acquired_at, expires_at)
            values (?, ?, utc_timestamp(6), utc_timestamp(6) + interval (? * 1000) microsecond)
            on duplicate key update
                acquired_at = if(owner <> values(owner) and expires_at <= utc_timestamp(6),
                                 values(acquired_at), acquired_at),
                owner = if(owner = values(owner) or expires_at <= utc_timestamp(6), values(owner), owner),
                expires_at = if(owner = values(owner), values(expires_at), expires_at)
            """;

    private static final String HOLDS_LEASE = """
            select exists (select 1 from {lease} where name = ? and owner = ? and expires_at > utc_timestamp(6))
            """;

    private static final String RELEASE_LEASE = """
            delete from {lease} where name = ? and owner = ?
            """;

    // ---- housekeeping

    /** Along the index by {@code created_at}, which is never later than {@code published_at}. */
    /** The condition on the position is two ranges of the index, so that what earlier chunks deleted is not met again. */
    private static final String FIND_PURGEABLE = """
            select id, created_at, published_at < utc_timestamp(6) - interval (? * 1000) microsecond as old
            from {outbox} force index ({name}_status)
            where status = 'PUBLISHED'
              and created_at < utc_timestamp(6) - interval (? * 1000) microsecond
              and (created_at > ? or created_at = ? and id > ?)
            order by created_at, id
            limit ?
            """;

    private static final String LOCK_PURGEABLE = """
            select o.id
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            where o.status = 'PUBLISHED'
            for update skip locked
            """;

    private static final String DELETE_ALL = """
            delete o
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            """;

    private static final String PUT_NOTE = """
            insert into {settings} (name, value) values (?, ?)
            on duplicate key update value = values(value)
            """;

    static final String SETTING = """
            select value from {settings} where name = ?
            """;
}
