-- Steps that wait for people: a row for each, from the moment that its journal says so until enough
-- have decided. Whoever decides locks the row, so that two who do it at once take turns.
create table run_approvals (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  run_id       text        collate "C" not null references runs on delete cascade,
  path         text        collate "C" not null,
  -- Ids of users, ids and names of roles.
  approvers    text[]      not null,
  quorum       integer     not null,
  message      text,
  expires_at   timestamptz,
  -- The users who have decided.
  decided_by   text[]      not null default '{}',
  created_at   timestamptz not null,
  primary key (run_id, path)
);
create index run_approvals_list on run_approvals (workspace_id, environment, run_id, path);

-- Outputs that test runs of a workflow take for granted, by node.
create table workflow_pins (
  workflow_id  text        collate "C" primary key references workflows on delete cascade,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  outputs      jsonb       not null,
  revision     integer     not null default 2,
  updated_at   timestamptz not null
);

alter table run_approvals enable row level security;
alter table workflow_pins enable row level security;
create policy tenant on run_approvals to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on workflow_pins to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on run_approvals to millrace_app;
grant select, insert, update on workflow_pins to millrace_app;
