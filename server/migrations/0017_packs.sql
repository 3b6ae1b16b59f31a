-- When each scheduled job is to run next. There is one row for each artifact of that type; who sets
-- `claim`, once `run_at` has passed, has that time, until `claimed_until`.
create table scheduled_jobs (
  artifact_id    text        collate "C" primary key references artifacts on delete cascade,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null,
  -- The time that it is for, and when to run: later, for an attempt after the first. Null while it is off.
  due_at         timestamptz,
  run_at         timestamptz,
  attempt        integer     not null default 1,
  claim          text        collate "C",
  claimed_until  timestamptz,
  -- When the first attempt at this time began: the times that passed since are made up for by one.
  began_at       timestamptz,
  last_execution jsonb
);
create index scheduled_jobs_due on scheduled_jobs (workspace_id, run_at) where run_at is not null;

-- The packs of a workspace, and what each of them made: kind, key, id, and checksums of what the pack
-- said and of what stood there afterwards, by which an edit is known for one.
create table pack_installs (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  pack_id      text        collate "C" not null,
  -- Where its tables are; most of what a pack makes belongs to all environments.
  environment  environment not null,
  name         text        not null,
  version      text        not null,
  description  text        not null,
  author       text        not null,
  dependencies jsonb       not null,
  checksum     text        not null,
  made         jsonb       not null,
  revision     integer     not null default 1,
  installed_by text        collate "C" not null,
  installed_at timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, pack_id)
);

alter table scheduled_jobs enable row level security;
alter table pack_installs enable row level security;
create policy tenant on scheduled_jobs to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on pack_installs to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on scheduled_jobs to millrace_system using (true);
grant select, insert, update, delete on scheduled_jobs, pack_installs to millrace_app;
grant select, update on scheduled_jobs to millrace_system;
