-- With semicolons; in comments.
alter table ${table} add column name text;

create index ${name}_name on ${table} (name);

alter table ${table} add column age integer not null default 0;
