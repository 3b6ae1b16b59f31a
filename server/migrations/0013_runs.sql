-- A run. Only the node that holds its lane carries it on; everybody else leaves word in its journal
-- and makes it due. `due_at` is when somebody must look at it: none while it waits for others.
create table runs (
  id              text        collate "C" primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  environment     environment not null default current_setting('millrace.environment')::environment,
  workflow_id     text        collate "C" not null,
  version_id      text        collate "C" not null,
  lane            smallint    not null,
  status          text        collate "C" not null,
  due_at          timestamptz,
  -- How it was started, and what expressions see as `trigger`.
  trigger_type    text        collate "C" not null,
  trigger         jsonb       not null,
  -- The event that started it.
  event_id        text        collate "C",
  -- Side effects are off, and some steps' outputs given.
  test            jsonb,
  output          jsonb,
  error           jsonb,
  -- Who started it, and whose permissions it has.
  actor           jsonb       not null,
  run_as          text        collate "C" not null,
  -- Which of them; null for all.
  permissions     text[],
  correlation_id  text        collate "C" not null,
  causation_id    text        collate "C",
  depth           smallint    not null,
  -- The step of another run that waits for this one.
  parent_run_id   text        collate "C",
  parent_path     text        collate "C",
  -- Whether its version says how many may run at a time, of those with the same key.
  limited         boolean     not null,
  concurrency_key text        collate "C",
  -- Counts the retries that do completed steps again.
  generation      integer     not null default 0,
  deadline_at     timestamptz,
  -- How many entries the journal has.
  entries         integer     not null default 0,
  created_at      timestamptz not null,
  started_at      timestamptz,
  finished_at     timestamptz
);
create index runs_list on runs (workspace_id, environment, id);
create index runs_workflow on runs (workflow_id, environment, id);
create index runs_trigger on runs (workspace_id, environment, trigger_type, id);
-- Most runs have completed: who looks for those finds them without these two.
create index runs_status on runs (workspace_id, environment, status, id) where status <> 'completed';
create index runs_workflow_status on runs (workflow_id, environment, status, id)
  where status <> 'completed';
-- What an event led to, and what a run that is cancelled takes with it.
create index runs_cause on runs (causation_id) where causation_id is not null;
create index runs_children on runs (parent_run_id)
  where status in ('queued', 'running', 'waiting', 'paused') and parent_run_id is not null;
create index runs_due on runs (workspace_id, due_at) where due_at is not null;
-- Those that count against a limit.
create index runs_started on runs (workflow_id, environment, concurrency_key)
  where limited and status in ('running', 'waiting', 'paused');
create index runs_age on runs using brin (created_at);

-- What is known of a run's steps, in the order in which it was written. Each row holds records of
-- steps; of several about one step the last one counts. Append-only until the run is pruned.
create table run_journal (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  run_id       text        collate "C" not null references runs on delete cascade,
  entry        integer     not null,
  records      jsonb       not null,
  written_at   timestamptz not null,
  primary key (run_id, entry)
);

-- Steps that wait for an event.
create table run_waits (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  run_id       text        collate "C" not null references runs on delete cascade,
  path         text        collate "C" not null,
  topic        text        collate "C" not null,
  event_type   text,
  filter       jsonb,
  -- What came before is past, as for a webhook.
  since_epoch  smallint    not null,
  since        pg_snapshot not null default pg_current_snapshot(),
  primary key (run_id, path)
);
create index run_waits_topic on run_waits (workspace_id, environment, topic);

alter table runs enable row level security;
alter table run_journal enable row level security;
alter table run_waits enable row level security;
create policy tenant on runs to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on run_journal to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on run_waits to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on runs to millrace_system using (true);
create policy everything on run_journal for select to millrace_system using (true);
create policy everything on run_waits for select to millrace_system using (true);
grant select, insert, update, delete on runs, run_journal, run_waits to millrace_app;
grant select, update, delete on runs to millrace_system;
grant select on run_journal, run_waits to millrace_system;
