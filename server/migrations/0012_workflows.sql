-- A workflow's definition is its working copy. Saving it appends a version; what runs in an
-- environment is the version that was deployed there.
create table workflows (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  -- Everything that a version keeps: name, description, trigger, nodes, edges, limits.
  definition   jsonb       not null,
  -- The number of the newest version.
  newest       integer     not null default 0,
  -- The secret part of the address that starts it from outside.
  hook_token   text        collate "C" not null constraint workflows_hook_token unique,
  archived_at  timestamptz,
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null
);
create index workflows_workspace on workflows (workspace_id, id);

-- Append-only but for label and status. At most one draft; `active` is whoever is deployed somewhere.
create table workflow_versions (
  id             text        collate "C" primary key,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  workflow_id    text        collate "C" not null references workflows on delete cascade,
  number         integer     not null,
  label          text,
  status         text        collate "C" not null,
  definition     jsonb       not null,
  change_summary text        not null,
  author_id      text        collate "C" not null,
  author_name    text        not null,
  revision       integer     not null default 1,
  created_at     timestamptz not null,
  constraint workflow_versions_number unique (workflow_id, number)
);
create unique index workflow_versions_draft on workflow_versions (workflow_id) where status = 'draft';

-- What is deployed where, and whether its trigger is on there.
create table workflow_deployments (
  workspace_id        uuid        not null default current_setting('millrace.workspace')::uuid,
  workflow_id         text        collate "C" not null references workflows on delete cascade,
  environment         environment not null,
  version_id          text        collate "C" not null references workflow_versions,
  previous_version_id text        collate "C",
  enabled             boolean     not null,
  -- Whose permissions its runs have: the person who deployed it.
  deployed_by         text        collate "C" not null,
  -- Which of them, where a token of that person's did it; null for all.
  permissions         text[],
  deployed_at         timestamptz not null,
  -- The trigger, for whoever looks for those that an event starts.
  trigger_type        text        collate "C" not null,
  topic               text        collate "C",
  -- From when on that trigger is on; what came before is past, as for a webhook.
  since_epoch         smallint    not null,
  since               pg_snapshot not null default pg_current_snapshot(),
  primary key (workflow_id, environment)
);
-- For the check that a version which is to be pruned is deployed nowhere.
create index workflow_deployments_version on workflow_deployments (version_id);
create index workflow_deployments_listening on workflow_deployments (workspace_id, environment, topic) where enabled;

alter table workflows enable row level security;
alter table workflow_versions enable row level security;
alter table workflow_deployments enable row level security;
create policy tenant on workflows to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on workflow_versions to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on workflow_deployments to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on workflows for select to millrace_system using (true);
create policy everything on workflow_versions for select to millrace_system using (true);
create policy everything on workflow_deployments for select to millrace_system using (true);
grant select, insert, update on workflows, workflow_deployments to millrace_app;
-- What a version holds is never changed; old ones are pruned.
grant select, insert, delete, update (label, status, revision) on workflow_versions to millrace_app;
grant select on workflows, workflow_versions, workflow_deployments to millrace_system;
