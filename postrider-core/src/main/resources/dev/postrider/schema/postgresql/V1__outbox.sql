-- The outbox. A writer in any language needs to name four columns:
--   insert into outbox (event_type, aggregate_type, aggregate_id, payload) values (…);
create table ${table} (
    -- tx_id stands before id on purpose: defaults are evaluated in column order, and a transaction
    -- must have its number before it draws an id.
    tx_id           xid8        not null default pg_current_xact_id(),
    id              bigint      generated always as identity (cache 1) primary key,
    -- a UUID of version 7, whose first 48 bits are the milliseconds of the database's clock
    event_id        uuid        not null default encode(
                        set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
                            placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
                            from 1 for 6), 52, 1), 53, 1), 'hex')::uuid,
    event_type      text        not null,
    aggregate_type  text        not null,
    aggregate_id    text        not null,
    -- events with the same key keep their order; null means aggregate type and id
    event_key       text,
    key_hash        bigint      not null generated always as
                        (hashtextextended(coalesce(event_key, aggregate_type || '/' || aggregate_id), 0)) stored,
    source          text,
    -- json, not jsonb: the text stays as it was written, so that hashes over it hold
    payload         json,
    payload_binary  bytea,
    content_type    text        not null default 'application/json',
    headers         json,
    request_id      text,
    content_hash    text,
    occurred_at     timestamptz not null default clock_timestamp(),
    created_at      timestamptz not null default clock_timestamp(),
    updated_at      timestamptz not null default clock_timestamp(),
    published_at    timestamptz,
    status          text        not null default 'PENDING',
    -- failed attempts so far, and how many retries this event may have; null means as the relay is set
    attempts        integer     not null default 0,
    max_retries     integer,
    first_failed_at timestamptz,
    -- how often a relay took it, and how often one died holding it
    claims          integer     not null default 0,
    abandoned       integer     not null default 0,
    -- null means at once
    next_attempt_at timestamptz,
    locked_by       text,
    locked_at       timestamptz,
    -- grows with every change of state; a relay whose version is no longer the row's has lost it
    version         integer     not null default 0,
    last_error      text,
    -- a dead letter that keeps its key closed
    holds_key       boolean     not null default false,
    constraint ${name}_one_payload check (num_nonnulls(payload, payload_binary) = 1),
    constraint ${name}_headers_object check (json_typeof(headers) = 'object'),
    constraint ${name}_known_status check
        (status in ('PENDING', 'SENDING', 'PUBLISHED', 'FAILED', 'HELD', 'DEAD_LETTER'))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- What is still to be sent: first what is due at once, by id, then by due time. Relays claim from it.
create index ${name}_due on ${table} (next_attempt_at nulls first, id)
    where status in ('PENDING', 'FAILED');

-- The events of one key that may hold back others, in order.
create index ${name}_key on ${table} (key_hash, id)
    where status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'DEAD_LETTER');

-- Keys that are closed. Empty unless something fails.
create index ${name}_held on ${table} (key_hash, id)
    where status = 'HELD';

-- Events that relays died with. Empty unless relays die.
create index ${name}_suspect on ${table} (id)
    where abandoned >= 2 and status in ('PENDING', 'FAILED');

-- What is in flight, failed, dead, or published since when. A new row is not in it, so that writers do not pay for it.
create index ${name}_status on ${table} (status, created_at)
    where status <> 'PENDING';

-- The history of one aggregate.
create index ${name}_aggregate on ${table} (aggregate_type, aggregate_id, id);

-- The same request writes once.
create unique index ${name}_request on ${table} (request_id)
    where request_id is not null;

-- Who is alive, and who holds what until when, by the database's clock.
create table ${lease_table} (
    name        text        primary key,
    owner       text        not null,
    acquired_at timestamptz not null default clock_timestamp(),
    expires_at  timestamptz not null,
    -- of a relay: its circuit
    state       text
) with (fillfactor = 50);

-- Events given up, with everything needed to send them again.
create table ${dead_letter_table} (
    outbox_id       bigint      primary key,
    event_id        uuid        not null,
    event_type      text        not null,
    aggregate_type  text        not null,
    aggregate_id    text        not null,
    event_key       text,
    source          text,
    payload         json,
    payload_binary  bytea,
    content_type    text        not null,
    headers         json,
    request_id      text,
    content_hash    text,
    occurred_at     timestamptz not null,
    created_at      timestamptz not null,
    attempts        integer     not null,
    max_retries     integer,
    error_class     text        not null,
    reason          text        not null,
    first_failed_at timestamptz not null,
    died_at         timestamptz not null default clock_timestamp()
);

create index ${name}_dead_letter_died on ${dead_letter_table} (died_at);

-- What operators did.
create table ${audit_table} (
    id       bigint      generated always as identity primary key,
    at       timestamptz not null default clock_timestamp(),
    actor    text        not null,
    action   text        not null,
    selector text        not null,
    affected bigint      not null
);

-- What was decided when the outbox was created.
create table ${settings_table} (
    name  text primary key,
    value text not null
);

insert into ${settings_table} (name, value) values
    ('outbox_id', gen_random_uuid()::text),
    ('mode', 'claim');
