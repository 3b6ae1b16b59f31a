-- Who does what while a major incident lasts.
create table incident_roles (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  incident_id  text        collate "C" not null references incidents,
  role         text        collate "C" not null
    check (role in ('commander', 'communications', 'operations')),
  user_id      text        collate "C" not null,
  since        timestamptz not null,
  primary key (incident_id, role)
);

-- The status page of a workspace; without a row it is off.
create table status_pages (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  is_on        boolean     not null,
  title        text        not null,
  about        text        not null,
  revision     integer     not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, environment)
);

create table status_components (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  no           bigint      generated always as identity,
  name         text        not null,
  about        text        not null,
  position     integer     not null,
  -- What it stands for inside. Never shown outside.
  item_ids     text[]      collate "C" not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null
);
create index status_components_order on status_components (workspace_id, environment, position, no);

-- What the public is told of an incident: words that were written for it, and nothing of the incident itself.
create table status_notices (
  incident_id   text        collate "C" primary key references incidents,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  environment   environment not null default current_setting('millrace.environment')::environment,
  -- Part of public addresses, so it says nothing about the incident.
  public_id     text        collate "C" not null,
  title         text        not null,
  status        text        collate "C" not null
    check (status in ('investigating', 'identified', 'monitoring', 'resolved')),
  effect        text        collate "C" not null check (effect in ('degraded', 'down')),
  component_ids text[]      collate "C" not null,
  started_at    timestamptz not null,
  resolved_at   timestamptz
);
create index status_notices_start on status_notices (workspace_id, environment, started_at);

create table status_updates (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  incident_id  text        collate "C" not null references status_notices,
  status       text        collate "C" not null,
  message      text        not null,
  created_at   timestamptz not null
);
create index status_updates_of on status_updates (incident_id, created_at);

alter table incident_roles enable row level security;
alter table status_pages enable row level security;
alter table status_components enable row level security;
alter table status_notices enable row level security;
alter table status_updates enable row level security;

create policy tenant on incident_roles to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on status_pages to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on status_components to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on status_notices to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on status_updates to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);

grant select, insert, update, delete on incident_roles, status_pages, status_components,
  status_notices, status_updates to millrace_app;
