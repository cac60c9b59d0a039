create table product (
    id    bigint         generated always as identity primary key,
    name  text           not null,
    price numeric(12, 2) not null,
    stock integer        not null check (stock >= 0)
);

create table product_like (
    product_id bigint not null references product,
    member     text   not null,
    primary key (product_id, member)
);

create table orders (
    id       uuid primary key,
    status   text not null,
    customer text not null
);

create table order_item (
    order_id   uuid           not null references orders,
    product_id bigint         not null references product,
    quantity   integer        not null,
    price      numeric(12, 2) not null,
    primary key (order_id, product_id)
);

create table payment (
    id       uuid           primary key,
    order_id uuid           not null references orders,
    amount   numeric(12, 2) not null,
    status   text           not null
);
