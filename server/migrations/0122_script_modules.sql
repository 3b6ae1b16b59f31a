-- The version of each module that a script was linked with: of a workflow's scripts when it was deployed, of an artifact when
-- it was saved. A module of which there is such a row can't be deleted.
create table module_pins (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  -- One of the two: a workflow's version in an environment, or an artifact.
  version_id   text        collate "C" references workflow_versions on delete cascade,
  environment  environment,
  artifact_id  text        collate "C" references artifacts on delete cascade,
  -- As the source has it: `module:dates`.
  specifier    text        collate "C" not null,
  module_id    text        collate "C" not null,
  number       integer     not null,
  constraint module_pins_module foreign key (module_id) references artifacts (id),
  constraint module_pins_user check (
    (version_id is null) <> (artifact_id is null) and (version_id is null) = (environment is null))
);
create unique index module_pins_version on module_pins (version_id, environment, specifier) where version_id is not null;
create unique index module_pins_artifact on module_pins (artifact_id, specifier) where artifact_id is not null;
create index module_pins_of_module on module_pins (module_id);
alter table module_pins enable row level security;
create policy tenant on module_pins to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on module_pins to millrace_app;
