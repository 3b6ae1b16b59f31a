-- Code of people: what an artifact is now, and every version that it ever was.
create table artifacts (
  id             text        collate "C" primary key,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  name           text        collate "C" not null,
  module_key     text        collate "C" not null,
  description    text        not null default '',
  artifact_type  text        collate "C" not null,
  status         text        collate "C" not null,
  -- Source, schedule and limits, as they were sent.
  detail         jsonb       not null,
  -- What the source says about itself: inputs, outputs, its own id and version.
  definition     jsonb       not null,
  version        text        not null,
  version_number integer     not null default 1,
  -- Whose permissions it has where nobody asks for it by hand: who saved it last.
  run_as         text        collate "C" not null,
  -- Which of them, where a token of that person's did it; null for all.
  permissions    text[],
  revision       integer     not null default 1,
  created_by     text        collate "C" not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  constraint artifacts_name unique (workspace_id, module_key, name)
);
create index artifacts_workspace on artifacts (workspace_id, id);

create table artifact_versions (
  artifact_id   text        collate "C" not null references artifacts on delete cascade,
  number        integer     not null,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  version       text        not null,
  detail        jsonb       not null,
  definition    jsonb       not null,
  restored_from integer,
  author_id     text        collate "C" not null,
  author_name   text        not null,
  created_at    timestamptz not null,
  primary key (artifact_id, number)
);

create table artifact_test_cases (
  id            text        collate "C" primary key,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  artifact_id   text        collate "C" not null references artifacts on delete cascade,
  name          text        collate "C" not null,
  input_payload jsonb       not null,
  expected      jsonb       not null,
  mocks         jsonb       not null default '{}',
  revision      integer     not null default 1,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  constraint artifact_test_cases_name unique (artifact_id, name)
);

-- What became of each execution. An artifact that is deleted leaves its history until that is pruned.
create table artifact_executions (
  id             text        collate "C" primary key,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null default current_setting('millrace.environment')::environment,
  artifact_id    text        collate "C" not null,
  version_number integer     not null,
  trigger_type   text        collate "C" not null,
  status         text        collate "C" not null,
  -- Of a scheduled job: the time that it was for, and which attempt this was.
  due_at         timestamptz,
  attempt        integer     not null default 1,
  started_at     timestamptz not null,
  duration_ms    integer     not null,
  outcome        jsonb       not null
);
create index artifact_executions_of on artifact_executions (workspace_id, environment, artifact_id, id);
create index artifact_executions_age on artifact_executions (started_at);

alter table artifacts enable row level security;
alter table artifact_versions enable row level security;
alter table artifact_test_cases enable row level security;
alter table artifact_executions enable row level security;
create policy tenant on artifacts to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on artifact_versions to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on artifact_test_cases to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on artifact_executions to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on artifacts for select to millrace_system using (true);
create policy everything on artifact_executions to millrace_system using (true);
grant select, insert, update, delete on artifacts, artifact_test_cases to millrace_app;
-- What a version holds is never changed.
grant select, insert, delete on artifact_versions to millrace_app;
grant select, insert on artifact_executions to millrace_app;
grant select on artifacts to millrace_system;
grant select, delete on artifact_executions to millrace_system;
