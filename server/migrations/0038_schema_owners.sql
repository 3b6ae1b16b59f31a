-- Whoever makes the first table of a workspace changes nothing that others share: each grant on a function
-- updates one row of the catalog for all workspaces, so that of two at once one failed, and its list of
-- grantees grew with every schema. A group role would not do: since PostgreSQL 16 a grant of membership
-- locks the group until its transaction ends. So the owners of schemas need no grant at all: the application
-- calls these functions as itself, and they become the owner for one statement.

-- Runs a statement that changes the structure of tables, as the owner of their schema. The text is a
-- parameter, as each text that an application sends by itself is prepared, and kept, by each of its
-- connections. After an error the rollback, at least to a savepoint, resets the role.
drop function change_structure(text);
create function change_structure(owner text, statement text) returns void
language plpgsql set search_path = pg_catalog as $$
begin
  execute format('set local role %I', owner);
  execute statement;
  set local role none;
end
$$;
revoke execute on function change_structure(text, text) from public;
grant execute on function change_structure(text, text) to millrace_app;

-- Runs a statement of a migration that changes records, as the owner of a schema, where nothing but the
-- tables of that schema is found by its name; returns how many records it changed. How texts are quoted is
-- what the parser took for granted that read the statement before.
drop function change_records(text, text, text, timestamptz);
create function change_records(owner text, space text, statement text, actor text, at timestamptz)
returns bigint
language plpgsql set search_path = pg_catalog set standard_conforming_strings = on as $$
declare
  changed bigint;
begin
  perform set_config('millrace.actor', actor, true);
  perform set_config('millrace.at', at::text, true);
  execute format('set local role %I', owner);
  perform set_config('search_path', quote_ident(space), true);
  execute statement;
  get diagnostics changed = row_count;
  set local role none;
  return changed;
end
$$;
revoke execute on function change_records(text, text, text, text, timestamptz) from public;
grant execute on function change_records(text, text, text, text, timestamptz) to millrace_app;

-- These an owner needs itself, for the default and the trigger of a table. Anybody may have them: one makes
-- an id of nothing but time and chance, and nobody can call what returns a trigger.
do $$
declare
  shared   regprocedure;
  grantees text;
begin
  foreach shared in array array['new_record_id()', 'stamp_record()']::regprocedure[] loop
    select string_agg(quote_ident(rolname), ', ') into grantees
      from pg_proc p, aclexplode(p.proacl) a join pg_roles r on r.oid = a.grantee
     where p.oid = shared and starts_with(rolname, 'millrace_o');
    if grantees is not null then
      execute format('revoke execute on function %s from %s', shared, grantees);
    end if;
    execute format('grant execute on function %s to public', shared);
  end loop;
end
$$;

create or replace function make_user_schema() returns text
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  place    text := replace(current_setting('millrace.workspace')::uuid::text, '-', '');
  stage    text := left(current_setting('millrace.environment')::public.environment::text, 1);
  space    text := 'tables_' || stage || '_' || place;
  owner    text := 'millrace_o' || stage || '_' || place;
  reader   text := 'millrace_r' || stage || '_' || place;
  -- The application logs in as millrace_app_<tail>.
  tail     text := substr(session_user, length('millrace_app_') + 1);
  role     text;
begin
  if place = repeat('0', 32) then
    raise exception 'Tables belong to a workspace.';
  end if;
  if exists (select from pg_namespace where nspname = space) then
    return space;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(space, 0));
  foreach role in array array[owner, reader] loop
    begin
      execute format('create role %I nologin noinherit', role);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
  -- Each statement is about the two roles and the schema alone, and locks nothing that others share.
  execute format('grant %I to %I', owner, current_user);
  execute format('grant %I to %I', owner, 'millrace_door_' || tail);
  execute format('grant %I to %I', reader, 'millrace_sql_' || tail);
  execute format('create schema if not exists %I authorization %I', space, owner);
  execute format('grant usage on schema %I to millrace_app, %I', space, reader);
  execute format('alter default privileges for role %I in schema %I '
    'grant select, insert, update, delete on tables to millrace_app', owner, space);
  execute format('alter default privileges for role %I in schema %I grant select on tables to %I',
    owner, space, reader);
  return space;
end
$$;
