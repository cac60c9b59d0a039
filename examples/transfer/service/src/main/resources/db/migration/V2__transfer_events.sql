-- Run it in one transaction, as psql --single-transaction does.

-- The outbox. A writer in any language needs to name four columns:
--   insert into outbox (event_type, aggregate_type, aggregate_id, payload) values (…);
create table "transfer_events" (
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
    -- in log mode LOG for ever: the cursor of its shard says whether it was sent. In claim mode its own state.
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
    -- a dead letter that keeps its key closed, or a BLOCKED event that does not only wait behind another one
    holds_key       boolean     not null default false,
    -- of BLOCKED events: the destination that takes nothing
    blocked_by      text,
    constraint transfer_events_one_payload check (num_nonnulls(payload, payload_binary) = 1),
    constraint transfer_events_headers_object check (json_typeof(headers) = 'object'),
    constraint transfer_events_blocked_by check (status <> 'BLOCKED' or blocked_by is not null),
    constraint transfer_events_known_status check
        (status in ('LOG', 'PENDING', 'SENDING', 'PUBLISHED', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER'))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Claim mode: keys that are closed. Empty unless something fails.
create index transfer_events_held on "transfer_events" (key_hash, id)
    where status = 'HELD';

-- Claim mode: events whose destination takes nothing. Empty unless a topic is missing, or an address does not answer.
create index transfer_events_blocked on "transfer_events" (blocked_by, id)
    where status = 'BLOCKED';

-- Claim mode: events that relays died with. Empty unless relays die.
create index transfer_events_suspect on "transfer_events" (id)
    where abandoned >= 2 and status in ('PENDING', 'FAILED');

-- Claim mode: what is in flight, failed, dead, or published since when. A new row is not in it, so that writers do not
-- pay for it. The id is in it so that a clean-up goes on exactly where its last chunk ended, however many rows share a
-- moment.
create index transfer_events_status on "transfer_events" (status, created_at, id)
    where status <> 'LOG' and status <> 'PENDING';

-- The history of one aggregate. Every row is in it from its insert on: an id that is too long for the index is refused to
-- its writer, and not to the relay that would record what became of the event.
create index transfer_events_aggregate on "transfer_events" (aggregate_id, id);

-- The same request writes once.
create unique index transfer_events_request on "transfer_events" (request_id)
    where request_id is not null;

-- Who is alive, and who holds what until when, by the database's clock.
create table "transfer_events_lease" (
    name        text        primary key,
    owner       text        not null,
    acquired_at timestamptz not null default clock_timestamp(),
    expires_at  timestamptz not null,
    -- of a relay: its circuit, and since when it has not been closed
    state       text,
    failing_since timestamptz,
    -- of a shard: how often it was taken from a relay that had died, since it last made progress
    takeovers   integer     not null default 0
) with (fillfactor = 50);

-- Log mode: how far each shard has been read. Rows are added, never changed; the newest counts. The key is the fence:
-- who has lost a shard finds the next number taken.
create table "transfer_events_cursor" (
    shard     integer     not null,
    seq       bigint      not null,
    -- every event visible in lo is done; of those visible in hi, the ones up to last_id. No hi: no window is open.
    lo        pg_snapshot not null,
    hi        pg_snapshot,
    last_id   bigint      not null default 0,
    -- events of transactions after tx_id have ids above floor, as long as the sequence of the ids has this file:
    -- restarting or altering it gives it another one
    tx_id     xid8        not null default pg_current_xact_id(),
    sequence  bigint      not null default 0,
    floor     bigint      not null default 0,
    -- exactly once: the transaction of the broker that this position belongs to
    batch     bigint      not null default 0,
    owner     text        not null,
    -- whether the owner took the shard over with this row
    fence     boolean     not null default false,
    -- the cluster that the snapshots belong to
    system_id bigint      not null,
    timeline  integer     not null,
    at        timestamptz not null default clock_timestamp(),
    primary key (shard, seq)
);

create index transfer_events_cursor_tx on "transfer_events_cursor" (sequence, tx_id);

-- Log mode: events that the cursor has passed and that still have to be sent. FAILED waits for its retry and has its
-- whole envelope here; QUEUED waits behind an event of its key, BLOCKED for a destination that takes nothing, and SCHEDULED
-- for its time: these refer to their row of the outbox. DEAD is a dead letter that keeps its key closed. RETRY and DISCARD are requests of operators.
create table "transfer_events_parked" (
    outbox_id       bigint      primary key,
    shard           integer     not null,
    key_hash        bigint      not null,
    state           text        not null,
    -- whether later events of its key wait for it
    holds           boolean     not null,
    batch           bigint      not null default 0,
    event_id        uuid,
    event_type      text,
    aggregate_type  text,
    aggregate_id    text,
    event_key       text,
    source          text,
    payload         json,
    payload_binary  bytea,
    content_type    text,
    headers         json,
    request_id      text,
    content_hash    text,
    occurred_at     timestamptz,
    created_at      timestamptz,
    attempts        integer     not null default 0,
    max_retries     integer,
    -- how often a relay died while it sent this event alone
    abandoned       integer     not null default 0,
    next_attempt_at timestamptz,
    first_failed_at timestamptz,
    last_error      text,
    -- of BLOCKED events: what takes nothing
    destination     text,
    parked_at       timestamptz not null default clock_timestamp(),
    constraint transfer_events_parked_known_state check
        (state in ('FAILED', 'QUEUED', 'BLOCKED', 'SCHEDULED', 'DEAD', 'RETRY', 'DISCARD'))
);

-- What waits for its time.
create index transfer_events_parked_due on "transfer_events_parked" (shard, next_attempt_at)
    where state in ('FAILED', 'SCHEDULED');

-- What closes keys, in order.
create index transfer_events_parked_key on "transfer_events_parked" (shard, key_hash, outbox_id)
    where holds;

-- What waits for a destination. Empty unless one takes nothing.
create index transfer_events_parked_blocked on "transfer_events_parked" (shard, destination, outbox_id)
    where state = 'BLOCKED';

-- What is dead and keeps its key closed, or has no letter. Empty unless something dies.
create index transfer_events_parked_dead on "transfer_events_parked" (outbox_id)
    where state = 'DEAD';

-- Requests of operators.
create index transfer_events_parked_request on "transfer_events_parked" (shard, outbox_id)
    where state in ('RETRY', 'DISCARD');

-- Exactly once: what belongs to a batch. A relay that takes a shard over deletes what belongs to one that was never committed.
create index transfer_events_parked_batch on "transfer_events_parked" (shard, batch)
    where batch > 0;

-- Events given up, with everything needed to send them again.
create table "transfer_events_dead_letter" (
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
    died_at         timestamptz not null default clock_timestamp(),
    -- log mode, exactly once: the transaction of the broker that it belongs to
    shard           integer,
    batch           bigint      not null default 0
);

create index transfer_events_dead_letter_died on "transfer_events_dead_letter" (died_at);

-- As transfer_events_parked_batch.
create index transfer_events_dead_letter_batch on "transfer_events_dead_letter" (shard, batch)
    where batch > 0;

-- What operators did.
create table "transfer_events_audit" (
    id       bigint      generated always as identity primary key,
    at       timestamptz not null default clock_timestamp(),
    actor    text        not null,
    action   text        not null,
    selector text        not null,
    affected bigint      not null
);

-- What was decided when the outbox was created.
create table "transfer_events_settings" (
    name  text primary key,
    value text not null
);

insert into "transfer_events_settings" (name, value) values
    ('outbox_id', gen_random_uuid()::text);

create index transfer_events_due on "transfer_events" (next_attempt_at nulls first, id)
    where status in ('PENDING', 'FAILED');

create index transfer_events_key on "transfer_events" (key_hash, id)
    where status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER');

create index transfer_events_not_claimed on "transfer_events" (id)
    where status not in ('PUBLISHED', 'PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER');

insert into "transfer_events_settings" (name, value) values
    ('mode', 'claim'), ('shards', '1'), ('delivery', 'at-least-once'),
    ('schema_version', '1');
