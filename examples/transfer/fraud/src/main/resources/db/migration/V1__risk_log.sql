create table risk_log (
    event_id    uuid        primary key,
    transfer_id uuid        not null,
    score       integer     not null check (score between 0 and 100),
    assessed_at timestamptz not null default clock_timestamp()
);
