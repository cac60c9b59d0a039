-- What tracking knows: the newest step of each order, and how many steps it has heard of.
create table parcels (
    order_id    uuid    primary key,
    destination text    not null,
    step        text    not null,
    version     integer not null,
    steps       integer not null
);
