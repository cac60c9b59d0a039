-- With semicolons; in comments.
alter table ${table} add column name varchar(50);

create index ${name}_name on ${table} (name);

alter table ${table} add column age integer not null default 0;
