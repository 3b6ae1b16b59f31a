-- What people decided about steps that asked them, for those who were asked: the log tells it to auditors alone. A row goes
-- with its run.
create table approval_decisions (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  id           text        collate "C" primary key,
  run_id       text        collate "C" not null references runs on delete cascade,
  path         text        collate "C" not null,
  -- Ids of users, ids and names of roles that the step asked.
  approvers    text[]      not null,
  message      text,
  approved     boolean     not null,
  comment      text,
  decided_by   text        collate "C" not null,
  decider_name text        not null,
  decided_at   timestamptz not null
);
create index approval_decisions_list on approval_decisions (workspace_id, environment, id);
create index approval_decisions_run on approval_decisions (run_id);

alter table approval_decisions enable row level security;
create policy tenant on approval_decisions to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, delete on approval_decisions to millrace_app;
