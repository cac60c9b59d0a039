create table product_statistic (
    product_id  bigint primary key,
    like_count  bigint not null default 0,
    sales_count bigint not null default 0,
    view_count  bigint not null default 0
);

-- Who likes what: a like that is heard of twice is one.
create table product_like (
    product_id bigint not null,
    member     text   not null,
    primary key (product_id, member)
);
