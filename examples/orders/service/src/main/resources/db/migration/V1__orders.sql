-- An order is read and written as a whole.
create table orders (
    id       uuid    primary key,
    version  integer not null,
    document jsonb   not null
);
