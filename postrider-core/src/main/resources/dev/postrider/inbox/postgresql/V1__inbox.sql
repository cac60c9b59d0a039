-- Run it in one transaction, as psql --single-transaction does.

-- What was handled: a mark is made in the transaction of the work, once for each consumer and subject.
create table ${table} (
    consumer   text        not null,
    -- the id of an event or a request, or an aggregate and what was done to it
    subject    text        not null,
    -- what a request was answered
    outcome    text,
    handled_at timestamptz not null default clock_timestamp(),
    primary key (consumer, subject)
);

-- By which old marks are found.
create index ${name}_age on ${table} (consumer, handled_at);

-- Which version the tables have.
create table ${settings_table} (
    name  text primary key,
    value text not null
);
