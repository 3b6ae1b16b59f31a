-- Calls to a run that came before the step which waits for them: kept until that step takes them, or the run is over.
create table run_calls (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  run_id       text        collate "C" not null references runs on delete cascade,
  path         text        collate "C" not null,
  request      jsonb       not null,
  -- The key of the step that has taken it: an attempt of a loop that begins anew takes another call.
  taken_by     text,
  primary key (run_id, path)
);
alter table run_calls enable row level security;
create policy tenant on run_calls to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on run_calls to millrace_app;
