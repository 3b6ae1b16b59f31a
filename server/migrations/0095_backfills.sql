create table backfills (
  id              text        collate "C" primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  environment     environment not null default current_setting('millrace.environment')::environment,
  workflow_id     text        not null,
  trigger_id      text        not null,
  trigger_type    text        not null,
  state           text        not null,
  begins_at       timestamptz not null,
  ends_at         timestamptz not null,
  filter          jsonb,
  max_concurrency integer     not null,
  -- The event or time that was looked at last.
  place           text,
  scanned         integer     not null default 0,
  started         integer     not null default 0,
  reason          text,
  created_by      text        not null,
  created_at      timestamptz not null,
  finished_at     timestamptz
);
create index backfills_workflow on backfills (workspace_id, environment, workflow_id, id);
alter table backfills enable row level security;
create policy tenant on backfills to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on backfills to millrace_app;

-- Each event or time starts one run for a backfill.
create table backfill_runs (
  backfill_id  text        collate "C" not null references backfills on delete cascade,
  thing        text        collate "C" not null,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  run_id       text        collate "C" not null,
  primary key (backfill_id, thing)
);
alter table backfill_runs enable row level security;
create policy tenant on backfill_runs to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, delete on backfill_runs to millrace_app;
