-- What follows from a column's type alone is seen to where values are read, and by the database only
-- while somebody's SQL or a change of the type writes them: PostgreSQL reads a check anew for each
-- statement, which was a quarter of an update. What a column's own options say keeps its check.
do $$
declare
  one record;
begin
  for one in
    select format('%I.%I', n.nspname, r.relname) as place, o.conname as name,
           'millrace_o' || substr(n.nspname, length('tables_') + 1) as owner
      from user_tables t
     cross join lateral jsonb_array_elements(t.columns) as k (c)
      join pg_namespace n
        on n.nspname = 'tables_' || left(t.environment::text, 1) || '_' || replace(t.workspace_id::text, '-', '')
      join pg_class r on r.relnamespace = n.oid and r.relname = t.slug
      join pg_attribute a on a.attrelid = r.oid and a.attname = k.c->>'name'
      join pg_constraint o on o.conrelid = r.oid and o.contype = 'c' and o.conkey = array[a.attnum]
     where case k.c->>'type'
             when 'text' then not (k.c->'options' ? 'maxLength') and 'true' not in (k.c->>'indexed', k.c->>'unique')
             when 'integer' then not (k.c->'options' ?| array['min', 'max'])
             when 'decimal' then not (k.c->'options' ?| array['min', 'max', 'scale'])
             else k.c->>'type' in ('date', 'timestamp', 'json', 'reference')
           end
  loop
    execute format('set local role %I', one.owner);
    execute format('alter table %s drop constraint %I', one.place, one.name);
    reset role;
  end loop;
end
$$;
