-- How often the columns of a table were changed. The view through which the application reads and writes
-- a table is named after it: a statement by an earlier definition finds no view, and is made anew.
alter table user_tables add column shape integer not null default 0;

-- Refuses a record in the words of a check whose name the trigger has. It stands on a table only while
-- SQL of a migration runs: otherwise whoever reads a value sees to what follows from its type. The owner of
-- any schema may use it, since nobody can call what returns a trigger.
create function refuse_record() returns trigger
language plpgsql set search_path = pg_catalog as $$
begin
  raise exception 'new row for relation "%" violates check constraint "%"', tg_table_name, tg_name
    using errcode = '23514', schema = tg_table_schema, table = tg_table_name, constraint = tg_name;
end
$$;
