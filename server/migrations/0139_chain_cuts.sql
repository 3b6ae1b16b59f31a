-- The chains that were cut, of each workflow: whoever answers for it is told once.
create table chain_cuts (
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null default current_setting('millrace.environment')::environment,
  workflow_id    text        collate "C" not null references workflows (id) on delete cascade,
  correlation_id text        collate "C" not null,
  cut_at         timestamptz not null,
  primary key (workflow_id, environment, correlation_id)
);
create index chain_cuts_age on chain_cuts (cut_at);
alter table chain_cuts enable row level security;
create policy tenant on chain_cuts to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on chain_cuts to millrace_system using (true);
grant select, insert on chain_cuts to millrace_app;
grant select, delete on chain_cuts to millrace_system;
