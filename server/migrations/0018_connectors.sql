-- A connector is a way to another system. What may be shown of it stands in `config` and `auth`, where a
-- mask takes the place of each credential; the credentials themselves are sealed, all in one piece.
--
-- Its breaker is in the row, so that it is the same for all nodes: `failures` in a row open it, and it
-- is open while there is a `retry_at`. Whoever moves `retry_at` on, once it has passed, has the trial.
create table connectors (
  id                text        collate "C" primary key,
  workspace_id      uuid        not null default current_setting('millrace.workspace')::uuid,
  name              text        not null,
  type              text        collate "C" not null,
  config            jsonb       not null,
  auth              jsonb       not null,
  sealed            bytea,
  -- What its actions were read from, where that is a document.
  document          jsonb,
  status            text        collate "C" not null default 'unknown',
  status_reason     text,
  status_changed_at timestamptz,
  failures          integer     not null default 0,
  retry_at          timestamptz,
  revision          integer     not null default 1,
  created_by        text        collate "C" not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  check (status in ('unknown', 'up', 'down'))
);
create index connectors_workspace on connectors (workspace_id, id);

-- The actions that were read from a connector's document.
create table connector_actions (
  workspace_id uuid  not null default current_setting('millrace.workspace')::uuid,
  connector_id text  collate "C" not null references connectors on delete cascade,
  name         text  collate "C" not null,
  action       jsonb not null,
  primary key (connector_id, name)
);

alter table connectors enable row level security;
alter table connector_actions enable row level security;
create policy tenant on connectors to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on connector_actions to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on connectors to millrace_app;
grant select, insert, delete on connector_actions to millrace_app;
