create table orders (id varchar(40) primary key, cents bigint);
