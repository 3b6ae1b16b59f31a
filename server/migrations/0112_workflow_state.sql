-- What a workflow keeps from one run to the next, apart for each environment.
create table workflow_state (
  workflow_id  text        collate "C" not null references workflows on delete cascade,
  key          text        collate "C" not null,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  value        jsonb       not null,
  -- Of the value's JSON: what a workflow may keep is bounded.
  bytes        integer     not null,
  revision     integer     not null default 1,
  updated_at   timestamptz not null,
  primary key (workflow_id, environment, key)
);
alter table workflow_state enable row level security;
create policy tenant on workflow_state to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on workflow_state to millrace_app;
