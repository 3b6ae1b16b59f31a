-- Counts the changes of a table's columns. The view through which the application reads and writes a table
-- has a column named after it, which statements that write name: one by an earlier definition fails, and
-- is made anew. At 0 there is no such column yet.
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
