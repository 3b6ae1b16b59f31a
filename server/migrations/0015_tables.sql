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
  rules        jsonb       not null default '[]',
  revision     integer     not null default 1,
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
  execute format('alter default privileges for role %I in schema %I '
    'grant select, insert, update, delete on tables to millrace_app', owner, space);
  execute format('alter default privileges for role %I in schema %I grant select on tables to %I',
    owner, space, reader);
  return space;
end
$$;
revoke execute on function make_user_schema() from public;
grant execute on function make_user_schema() to millrace_app;
