-- The tables that people make. Each is a real table in a schema that belongs to one workspace and
-- environment; what is known of it beyond that, its types, defaults and rules, stands here.
create table user_tables (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  slug         text        collate "C" not null,
  name         text        not null,
  description  text        not null default '',
  columns      jsonb       not null,
  -- Those of several columns, and those that were given a name.
  indexes      jsonb       not null default '[]',
  rules        jsonb       not null default '[]',
  revision     integer     not null default 1,
  -- The revision since which no column was renamed, dropped or given another type: events of before
  -- can't be held against today's rules.
  renamed_revision integer not null default 0,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint user_tables_slug unique (workspace_id, environment, slug)
);
create index user_tables_newest on user_tables (workspace_id, environment, id);

-- Changes of structure that are written down, to be applied in one environment after the other.
create table table_migrations (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  -- Their order.
  number       integer     not null,
  name         text        not null,
  up           jsonb       not null,
  down         jsonb,
  checksum     text        collate "C" not null,
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint table_migrations_number unique (workspace_id, number)
);

-- What became of each in each environment; without a row here it is pending there.
create table table_migration_states (
  migration_id text        collate "C" not null references table_migrations on delete cascade,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  status       text        collate "C" not null check (status in ('applied', 'rolled_back', 'failed')),
  -- What was applied, and the steps that undo it, as they were found when it was.
  checksum     text        collate "C" not null,
  inverse      jsonb,
  statements   jsonb       not null,
  error        jsonb,
  changed_by   text        collate "C" not null,
  changed_at   timestamptz not null,
  primary key (migration_id, environment)
);

-- Questions in SQL that were kept.
create table saved_queries (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  description  text        not null default '',
  sql          text        not null,
  parameters   jsonb       not null default '[]',
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint saved_queries_name unique (workspace_id, name)
);

alter table user_tables enable row level security;
alter table table_migrations enable row level security;
alter table table_migration_states enable row level security;
alter table saved_queries enable row level security;
create policy tenant on user_tables to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on table_migrations to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on table_migration_states to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on saved_queries to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on user_tables for select to millrace_system using (true);
grant select, insert, update, delete
  on user_tables, table_migrations, table_migration_states, saved_queries to millrace_app;
grant select on user_tables to millrace_system;

-- An id as the application makes them, for records that come into being in SQL: 48 bits of time in ten
-- characters of Crockford base32, then sixteen random ones.
create function new_record_id() returns text
language sql volatile parallel safe set search_path = pg_catalog as $$
  with drawn as materialized (
    select floor(extract(epoch from now()) * 1000)::bigint as ms, uuid_send(gen_random_uuid()) as bytes
  )
  select 'rec_' || string_agg(
           substr('0123456789abcdefghjkmnpqrstvwxyz',
             1 + case when place < 10 then ((ms >> (45 - 5 * place)) & 31)::integer
                      else get_byte(bytes, place - 10) & 31 end, 1),
           '' order by place)
    from drawn, generate_series(0, 25) as place
$$;
revoke execute on function new_record_id() from public;
grant execute on function new_record_id() to millrace_app;

-- Runs a statement that changes the structure of tables, with the rights of who calls it. The text is
-- a parameter, as each text that an application sends by itself is prepared, and kept, by each of its
-- connections.
create function change_structure(statement text) returns void
language plpgsql set search_path = pg_catalog as $$
begin
  execute statement;
end
$$;
revoke execute on function change_structure(text) from public;
grant execute on function change_structure(text) to millrace_app;

-- Runs a statement of a migration that changes records, with the rights of who calls it, where nothing
-- but the tables of one schema is found by its name; and tells how many records it changed. How texts
-- are quoted is what the parser took for granted that read the statement before.
create function change_records(statement text, space text, actor text, at timestamptz) returns bigint
language plpgsql set search_path = pg_catalog set standard_conforming_strings = on as $$
declare
  changed bigint;
begin
  perform set_config('search_path', quote_ident(space), true);
  perform set_config('millrace.actor', actor, true);
  perform set_config('millrace.at', at::text, true);
  execute statement;
  get diagnostics changed = row_count;
  return changed;
end
$$;
revoke execute on function change_records(text, text, text, timestamptz) from public;
grant execute on function change_records(text, text, text, timestamptz) to millrace_app;

-- Keeps what the application keeps when it writes a record. It stands on a table only while such a
-- statement runs.
create function stamp_record() returns trigger
language plpgsql set search_path = pg_catalog as $$
declare
  at timestamptz := current_setting('millrace.at');
begin
  if new.id !~ '^rec_[0-9a-hjkmnp-tv-z]{26}$' then
    raise exception 'The id of a record is made by the platform.' using errcode = '23514';
  end if;
  if tg_op = 'INSERT' then
    -- What was said stays, as records may come from elsewhere; what was not is of the database's clock.
    if new.created_at = now()::timestamptz(3) then new.created_at := at; end if;
    if new.updated_at = now()::timestamptz(3) then new.updated_at := at; end if;
    new.created_by := current_setting('millrace.actor');
    new.revision := 1;
    return new;
  end if;
  if new.id <> old.id then
    raise exception 'The id of a record stays.' using errcode = '23514';
  end if;
  new.created_at := old.created_at;
  new.created_by := old.created_by;
  new.updated_at := at;
  new.revision := old.revision + 1;
  return new;
end
$$;
revoke execute on function stamp_record() from public;

-- Makes the schema of the workspace and environment that this session is in, once, and the two roles
-- that belong to it: one that owns it, and one that can only read it. Neither can log in. The
-- application may become the owner, and only by saying so; whoever runs people's SQL may become the
-- reader. Roles belong to the cluster, so another database may know them already.
create function make_user_schema() returns text
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
  execute format('grant %I to %I', owner, current_user);
  execute format('grant %I to %I', owner, 'millrace_door_' || tail);
  execute format('grant %I to %I', reader, 'millrace_sql_' || tail);
  execute format('create schema if not exists %I authorization %I', space, owner);
  execute format('grant usage on schema %I to millrace_app, %I', space, reader);
  execute format('grant execute on function new_record_id(), stamp_record(), change_structure(text), '
    'change_records(text, text, text, timestamptz) to %I', owner);
  execute format('alter default privileges for role %I in schema %I '
    'grant select, insert, update, delete on tables to millrace_app', owner, space);
  execute format('alter default privileges for role %I in schema %I grant select on tables to %I',
    owner, space, reader);
  return space;
end
$$;
revoke execute on function make_user_schema() from public;
grant execute on function make_user_schema() to millrace_app;

-- Whoever said last what a webhook hears, or where that goes: it hears of records what they may see.
alter table webhooks add column saved_by text collate "C";
