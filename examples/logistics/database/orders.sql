-- What the order service knows. Run it before outbox_in_our_words.sql; the outbox itself comes from "postrider migrate".
create table orders (
    id          uuid        primary key,
    customer    text        not null,
    destination text        not null,
    items       jsonb       not null,
    step        text        not null,
    version     integer     not null,
    placed_at   timestamptz not null default now()
);
