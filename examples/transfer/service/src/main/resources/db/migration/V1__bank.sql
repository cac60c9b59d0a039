create table account (
    number  bigint         generated always as identity primary key,
    owner   text           not null,
    balance numeric(14, 2) not null check (balance >= 0)
);

create table transfer (
    id           uuid           primary key,
    from_account bigint         not null references account,
    to_account   bigint         not null references account,
    amount       numeric(14, 2) not null check (amount > 0),
    at           timestamptz    not null
);
