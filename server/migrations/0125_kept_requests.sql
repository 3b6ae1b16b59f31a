-- Requests of triggers that say so, for backfills: what a run holds of its request goes with the run.
create table kept_requests (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  workflow_id  text        collate "C" not null,
  trigger_id   text        collate "C" not null,
  input        jsonb       not null,
  received_at  timestamptz not null,
  expires_at   timestamptz not null
);
create index kept_requests_trigger on kept_requests (workspace_id, environment, workflow_id, trigger_id, id);
create index kept_requests_expiry on kept_requests (expires_at);
alter table kept_requests enable row level security;
create policy tenant on kept_requests to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, delete on kept_requests to millrace_app;
create policy everything on kept_requests to millrace_system using (true);
grant select, delete on kept_requests to millrace_system;

-- A backfill that came with an activation ends where the trigger began to hear.
alter table backfills add column since_epoch smallint, add column since text;
