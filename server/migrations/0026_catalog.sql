-- What people may ask for. An item belongs to the workspace in all its environments, as the workflow does
-- that fulfils it.
create table catalog_items (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  description  text        not null,
  category     text        not null,
  icon         text,
  -- A JSON Schema. Its fields are drawn in their order, which jsonb would not keep.
  form         json        not null,
  -- { required, approverIds, rule }
  approval     jsonb       not null,
  -- Null when it is fulfilled by hand.
  workflow_id  text        collate "C",
  status       text        collate "C" not null check (status in ('active', 'retired')),
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null
);
-- The name of a retired one is free again.
create unique index catalog_items_name on catalog_items (workspace_id, name) where status = 'active';
create index catalog_items_list on catalog_items (workspace_id, status, name);

-- What somebody asked for. It keeps how it is to be approved and fulfilled, as the item had it then.
create table catalog_requests (
  id                text        collate "C" primary key,
  workspace_id      uuid        not null default current_setting('millrace.workspace')::uuid,
  environment       environment not null default current_setting('millrace.environment')::environment,
  no                bigint      not null,
  number            text        collate "C" not null,
  item_id           text        collate "C" not null references catalog_items,
  title             text        not null,
  description       text        not null,
  state             text        collate "C" not null
    check (state in ('submitted', 'awaiting_approval', 'approved', 'rejected', 'fulfilling',
                     'fulfilled', 'failed', 'cancelled')),
  "values"          jsonb       not null,
  requested_for     text        collate "C" not null,
  assignee_id       text        collate "C",
  team_id           text        collate "C",
  approval_required boolean     not null,
  -- Empty: whoever holds requests:work.
  approver_ids      text[]      collate "C" not null,
  approval_rule     text        collate "C" not null check (approval_rule in ('any', 'all')),
  -- [{ userId, approved, comment, at }]
  decisions         jsonb       not null,
  workflow_id       text        collate "C",
  -- Chosen when the fulfilment starts, before there is such a run: whoever starts it finds out whether
  -- somebody did.
  run_id            text        collate "C",
  output            jsonb,
  -- Why it was rejected, failed or was cancelled.
  reason            text,
  notes             text,
  approved_at       timestamptz,
  ended_at          timestamptz,
  created_by        text        collate "C" not null,
  revision          integer     not null default 1,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint catalog_requests_no unique (workspace_id, environment, no)
);
create index catalog_requests_number on catalog_requests (workspace_id, environment, number);
create index catalog_requests_created on catalog_requests (workspace_id, environment, created_at, no);
create index catalog_requests_state
  on catalog_requests (workspace_id, environment, state, created_at, no);
create index catalog_requests_creator
  on catalog_requests (workspace_id, environment, created_by, created_at, no);
create index catalog_requests_for
  on catalog_requests (workspace_id, environment, requested_for, created_at, no);
create index catalog_requests_assignee
  on catalog_requests (workspace_id, environment, assignee_id, created_at, no)
  where assignee_id is not null;
create index catalog_requests_team
  on catalog_requests (workspace_id, environment, team_id, created_at, no) where team_id is not null;
-- Each run fulfils one request.
create unique index catalog_requests_run on catalog_requests (workspace_id, environment, run_id)
  where run_id is not null;

alter table catalog_items enable row level security;
alter table catalog_requests enable row level security;
create policy tenant on catalog_items to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on catalog_requests to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update on catalog_items, catalog_requests to millrace_app;
