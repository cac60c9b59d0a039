-- The outbox, for MariaDB 10.6 or newer and MySQL 8.0.19 or newer. All times are UTC, by the database's clock.
-- These databases have no transactions around such statements: when they were broken off, 'postrider migrate' does the rest.
-- The table for events comes last, so that nothing can be written before everything else is there.

-- What was decided when the outbox was created.
create table ${settings_table} (
    name  varchar(255) not null primary key,
    value text         not null
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

-- A version of 0 says that the rest is still to be done.
insert ignore into ${settings_table} (name, value) values ('outbox_id', uuid()), ('schema_version', '0');

-- Who is alive, and who holds what until when, by the database's clock.
create table ${lease_table} (
    name        varchar(255) not null primary key,
    owner       varchar(255) not null,
    acquired_at datetime(6)  not null default (utc_timestamp(6)),
    expires_at  datetime(6)  not null,
    -- of a relay: its circuit
    state       varchar(255)
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

-- Events given up, with everything needed to send them again.
create table ${dead_letter_table} (
    outbox_id       bigint       not null primary key,
    event_id        char(36)     not null,
    event_type      varchar(255) not null,
    aggregate_type  varchar(255) not null,
    aggregate_id    varchar(255) not null,
    event_key       text,
    source          text,
    payload         longtext,
    payload_binary  longblob,
    content_type    varchar(255) not null,
    headers         longtext,
    request_id      varchar(255),
    content_hash    varchar(255),
    occurred_at     datetime(6)  not null,
    created_at      datetime(6)  not null,
    attempts        integer      not null,
    max_retries     integer,
    error_class     varchar(255) not null,
    reason          text         not null,
    first_failed_at datetime(6)  not null,
    died_at         datetime(6)  not null default (utc_timestamp(6))
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

create index ${name}_dead_letter_died on ${dead_letter_table} (died_at);

-- What operators did.
create table ${audit_table} (
    id       bigint       not null auto_increment primary key,
    at       datetime(6)  not null default (utc_timestamp(6)),
    actor    varchar(255) not null,
    action   varchar(255) not null,
    selector text         not null,
    affected bigint       not null
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

-- By which a restore from the dead letter file knows what was handled before.
create index ${name}_audit_action on ${audit_table} (action, selector(36));

-- Rows to be locked by those who write an event once for a request, by the hash of its id. None is ever added or removed.
create table ${lock_table} (
    slot integer not null primary key
) engine = InnoDB;

insert ignore into ${lock_table} (slot)
with recursive numbered (slot) as (select 0 union all select slot + 1 from numbered where slot < 996)
select slot from numbered;

-- The events. A writer in any language needs to name four columns:
--   insert into outbox (event_type, aggregate_type, aggregate_id, payload) values (…);
create table ${table} (
    id              bigint       not null auto_increment primary key,
    -- a UUID of version 7, whose first 48 bits are the milliseconds of the database's clock
    event_id        char(36)     not null default (lower(concat(
                        substr(lpad(hex(timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) div 1000), 12, '0'), 1, 8),
                        '-',
                        substr(lpad(hex(timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) div 1000), 12, '0'), 9, 4),
                        '-7', substr(md5(concat(uuid(), rand())), 1, 3),
                        '-', substr('89ab', 1 + floor(rand() * 4), 1), substr(md5(concat(uuid(), rand())), 1, 3),
                        '-', substr(md5(concat(uuid(), rand())), 1, 12)))),
    event_type      varchar(255) not null,
    aggregate_type  varchar(255) not null,
    aggregate_id    varchar(255) not null,
    -- events with the same key keep their order; null means aggregate type and id
    event_key       text,
    key_hash        bigint       generated always as (cast(conv(substr(md5(
                        coalesce(event_key, concat(aggregate_type, '/', aggregate_id))), 1, 16), 16, -10) as signed)) stored,
    source          text,
    -- not a JSON type: the text stays as it was written, so that hashes over it hold
    payload         longtext,
    payload_binary  longblob,
    content_type    varchar(255) not null default 'application/json',
    headers         longtext,
    request_id      varchar(255),
    content_hash    varchar(255),
    occurred_at     datetime(6)  not null default (utc_timestamp(6)),
    created_at      datetime(6)  not null default (utc_timestamp(6)),
    updated_at      datetime(6)  not null default (utc_timestamp(6)),
    published_at    datetime(6),
    status          varchar(16)  not null default 'PENDING',
    -- failed attempts so far, and how many retries this event may have; null means as the relay is set
    attempts        integer      not null default 0,
    max_retries     integer,
    first_failed_at datetime(6),
    -- how often a relay took it, and how often one died holding it
    claims          integer      not null default 0,
    abandoned       integer      not null default 0,
    -- null means at once
    next_attempt_at datetime(6),
    locked_by       varchar(255),
    locked_at       datetime(6),
    -- grows with every change of state; a relay whose version is no longer the row's has lost it
    version         integer      not null default 0,
    last_error      text,
    -- a dead letter that keeps its key closed, or a BLOCKED event that does not only wait behind another one
    holds_key       boolean      not null default false,
    -- of BLOCKED events, and of no others: the destination that takes nothing
    blocked_by      varchar(255),
    -- In the place of partial indexes, which there are none of. What is to be sent: 1; if relays died with it: 2.
    to_send         tinyint      generated always as
                        (case when status in ('PENDING', 'FAILED') then case when abandoned >= 2 then 2 else 1 end end) stored,
    -- the key, as long as the event may hold back others of it
    open_key        bigint       generated always as (case when status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED')
                        or (status = 'DEAD_LETTER' and holds_key) then key_hash end) stored,
    -- the key, of an event that is held back
    held_key        bigint       generated always as (case when status = 'HELD' then key_hash end) stored,
    constraint ${name}_one_payload check ((payload is null) <> (payload_binary is null)),
    constraint ${name}_payload_json check (payload is null or json_valid(payload)),
    constraint ${name}_headers_object check (headers is null or (json_valid(headers) and json_type(headers) = 'OBJECT')),
    constraint ${name}_blocked_by check (status <> 'BLOCKED' or blocked_by is not null),
    constraint ${name}_known_status check
        (status in ('PENDING', 'SENDING', 'PUBLISHED', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER'))
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

-- What is still to be sent: first what is due at once, by id, then by due time. Relays claim from it.
create index ${name}_due on ${table} (to_send, next_attempt_at, id);

-- The events of one key that may hold back others, in order.
create index ${name}_key on ${table} (open_key, id);

-- Keys that are closed. Empty unless something fails.
create index ${name}_held on ${table} (held_key, id);

-- Events whose destination takes nothing.
create index ${name}_blocked on ${table} (blocked_by, id);

-- What is in flight, failed, dead, or published since when.
create index ${name}_status on ${table} (status, created_at, id);

-- The history of one aggregate.
create index ${name}_aggregate on ${table} (aggregate_id, aggregate_type, id);

-- The same request writes once.
create unique index ${name}_request on ${table} (request_id);
