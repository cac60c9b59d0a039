-- For MariaDB 10.6 or newer and MySQL 8.0.19 or newer. All times are UTC, by the database's clock.
-- These databases have no transactions around such statements: when they were broken off, 'postrider migrate --inbox' does the
-- rest.

-- Which version the tables have. 0 says that the rest is still to be done.
create table ${settings_table} (
    name  varchar(255) not null primary key,
    value text         not null
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

insert ignore into ${settings_table} (name, value) values ('schema_version', '0');

-- Rows to be locked by the names of locks, which share them. None is ever added or removed.
create table ${lock_table} (
    slot integer not null primary key
) engine = InnoDB;

insert ignore into ${lock_table} (slot)
with recursive numbered (slot) as (select 0 union all select slot + 1 from numbered where slot < 996)
select slot from numbered;

-- What was handled: a mark is made in the transaction of the work, once for each consumer and subject.
create table ${table} (
    -- bytes of UTF-8: compared as they are, without padding
    consumer   varbinary(200)  not null,
    -- the id of an event or a request, or an aggregate and what was done to it
    subject    varbinary(1000) not null,
    -- of whoever made the mark: who sees its own has made it
    token      bigint          not null,
    -- what a request was answered
    outcome    longtext,
    handled_at datetime(6)     not null default (utc_timestamp(6)),
    primary key (consumer, subject)
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

-- By which old marks are found.
create index ${name}_age on ${table} (consumer, handled_at);
