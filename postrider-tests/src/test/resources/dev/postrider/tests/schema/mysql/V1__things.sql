create table ${settings_table} (
    name  varchar(255) not null primary key,
    value text         not null
) engine = InnoDB;

insert ignore into ${settings_table} (name, value) values ('schema_version', '0');

create table ${table} (
    id bigint not null primary key
) engine = InnoDB;
