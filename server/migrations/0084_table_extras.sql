-- Comments on records; they end with their table.
create table record_comments (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  table_id     text        collate "C" not null references user_tables (id) on delete cascade,
  record_id    text        collate "C" not null,
  body         text        not null,
  mentions     text[]      not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  edited_at    timestamptz
);
create index record_comments_record on record_comments (table_id, record_id, id);
alter table record_comments enable row level security;
create policy tenant on record_comments to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on record_comments to millrace_app;

-- Forms that strangers fill: what the form says, and its address. A form without an address is for members alone.
alter table table_views
  add column form jsonb not null default '{}',
  add column public_key text collate "C",
  -- The member in whose name what strangers send is written.
  add column public_by text collate "C";
create unique index table_views_public_key on table_views (public_key) where public_key is not null;
create policy system on table_views for select to millrace_system using (true);
grant select on table_views to millrace_system;

-- Files that left their record are kept for a while, for whoever takes that back.
alter table files drop constraint files_check1,
  add constraint files_expiry check (attached_id is not null or expires_at is not null);
create index files_released on files (expires_at) where attached_id is not null and expires_at is not null;

-- Rows of the platform that people's SQL may read. The readers of migration 0015 see those of their own partition; which of
-- them a person sees is decided by the statement that is wrapped around theirs.
create schema sql_views;
create function sql_views.reader_workspace() returns uuid language sql stable parallel safe
  return case when current_user ~ '^millrace_r[psd]_[0-9a-f]{32}$' then substr(current_user::text, 13)::uuid end;
create function sql_views.reader_environment() returns public.environment language sql stable parallel safe
  return case substr(current_user::text, 11, 1)
           when 'p' then 'production'::public.environment
           when 's' then 'staging'::public.environment
           when 'd' then 'development'::public.environment end;

create view sql_views.tickets with (security_barrier) as
  select id, kind, number, title, state, is_open, priority, caller_id, assignee_id, team_id, tags, due_at, due_state,
         created_by, created_at, updated_at
    from public.tickets
   where workspace_id = sql_views.reader_workspace() and environment = sql_views.reader_environment();
create view sql_views.sla_clocks with (security_barrier) as
  select ticket_id, kind, policy_id, policy_name, name, metric, state, target_ms, due_at, warned_at, breached_at, stopped_at
    from public.sla_clocks
   where workspace_id = sql_views.reader_workspace() and environment = sql_views.reader_environment();
create view sql_views.configuration_items with (security_barrier) as
  select id, class, key, name, status, description, attributes, owner_id, team_id, created_by, created_at, updated_at
    from public.cmdb_items
   where workspace_id = sql_views.reader_workspace() and environment = sql_views.reader_environment();
create view sql_views.configuration_relationships with (security_barrier) as
  select id, from_id, to_id, type, created_by, created_at
    from public.cmdb_relationships
   where workspace_id = sql_views.reader_workspace() and environment = sql_views.reader_environment();
create view sql_views.runs with (security_barrier) as
  select id, workflow_id, status, trigger_type, parent_run_id, run_as, correlation_id, created_at, started_at, finished_at
    from public.runs
   where workspace_id = sql_views.reader_workspace() and environment = sql_views.reader_environment();
create view sql_views.events with (security_barrier) as
  select topic, type, actor_id, actor_type, actor_name, resource_type, resource_id, resource_number, resource_name,
         request_id, correlation_id, causation_id, depth, created_at, data, epoch, xid, seq
    from public.events
   where workspace_id = sql_views.reader_workspace() and environment = sql_views.reader_environment();
grant usage on schema sql_views to public;
grant select on all tables in schema sql_views to public;
