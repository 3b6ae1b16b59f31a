-- How long the other system asked to be left alone, for all that use the connector.
alter table connectors add column limited_until timestamptz;

-- The rate of a connector, shared by all runs and nodes.
create table connector_limits (
  connector_id text        collate "C" primary key references connectors on delete cascade,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  -- When all calls so far would have ended, had they come evenly.
  spent_until  timestamptz not null,
  -- The last time that somebody who waits was told.
  told_until   timestamptz not null
);
alter table connector_limits enable row level security;
create policy tenant on connector_limits to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on connector_limits to millrace_app;

-- Credentials of a connector in one environment, in the place of its own.
create table connector_credentials (
  connector_id text        collate "C" not null references connectors on delete cascade,
  environment  environment not null,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  auth         jsonb       not null,
  base_url     text,
  parameters   jsonb,
  sealed       bytea,
  saved_by     text        collate "C" not null,
  permissions  text[],
  revision     integer     not null default 1,
  updated_at   timestamptz not null,
  primary key (connector_id, environment)
);
alter table connector_credentials enable row level security;
create policy tenant on connector_credentials to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on connector_credentials to millrace_app;

-- What a connector trigger knows: its cursor or what it has seen, and its subscription.
create table connector_triggers (
  workflow_id     text        collate "C" not null references workflows on delete cascade,
  trigger_id      text        collate "C" not null default '',
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  environment     environment not null default current_setting('millrace.environment')::environment,
  connector_id    text        collate "C",
  -- Of what it listens to: another one begins anew.
  subject         text        collate "C" not null,
  state           jsonb       not null default '{}',
  -- Of a hook: the address that the other system calls, the key that it signs with, and its own name for it.
  token           text        collate "C",
  sealed          bytea,
  subscription    text,
  status          text        collate "C" not null default 'new',
  problem         text,
  polled_at       timestamptz,
  created_at      timestamptz not null,
  primary key (workflow_id, environment, trigger_id),
  check (status in ('new', 'up', 'down'))
);
create unique index connector_triggers_token on connector_triggers (token) where token is not null;
create index connector_triggers_connector on connector_triggers (workspace_id, connector_id);
alter table connector_triggers enable row level security;
create policy tenant on connector_triggers to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on connector_triggers to millrace_app;
grant select on connector_triggers to millrace_system;
create policy system on connector_triggers for select to millrace_system using (true);

-- Deliveries of hooks that came, for those that come twice.
create table connector_deliveries (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  workflow_id  text        collate "C" not null references workflows on delete cascade,
  delivery     bytea       not null,
  received_at  timestamptz not null,
  primary key (workflow_id, environment, delivery)
);
create index connector_deliveries_age on connector_deliveries (workspace_id, received_at);
alter table connector_deliveries enable row level security;
create policy tenant on connector_deliveries to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on connector_deliveries to millrace_app;
