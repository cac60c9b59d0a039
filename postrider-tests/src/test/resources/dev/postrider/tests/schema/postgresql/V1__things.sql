create table ${settings_table} (
    name  text primary key,
    value text not null
);

create table ${table} (
    id bigint primary key
);
