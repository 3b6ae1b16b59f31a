-- Every row of a workspace carries its key, and most carry their environment too. Both are column
-- defaults taken from the transaction's settings, and row-level security admits only rows that agree:
-- no statement has to name its workspace, and one that runs outside of any workspace is an error,
-- since '' is no uuid.
--
-- Two roles, neither of which owns a table:
--   millrace_app     serves requests and reactions, one workspace at a time;
--   millrace_system  reads the log, claims work and looks up credentials across workspaces.

create type environment as enum ('production', 'staging', 'development');

-- One row: what this installation knows of itself.
create table installation (
  the_only_one       boolean     primary key default true check (the_only_one),
  -- Sealed under the master key, to notice at start that another key is in use.
  key_check          bytea       not null,
  -- Transaction ids order the log, and they belong to one cluster. A restore into another cluster
  -- begins a new epoch, so that what was logged before stays before.
  epoch              smallint    not null default 1,
  cluster            text        not null,
  home_workspace_id  uuid        not null,
  created_at         timestamptz not null
);

create table workspaces (
  key         uuid        primary key default current_setting('millrace.workspace')::uuid,
  slug        text        collate "C" not null constraint workspaces_slug unique,
  name        text        not null,
  description text        not null default '',
  plan        text        not null default 'standard',
  timezone    text        not null default 'UTC',
  enforce_mfa boolean     not null default false,
  revision    integer     not null default 1,
  created_at  timestamptz not null,
  updated_at  timestamptz not null
);

-- The data key of each workspace, wrapped by the master key.
create table workspace_keys (
  workspace_id uuid        primary key default current_setting('millrace.workspace')::uuid,
  wrapped      bytea       not null,
  created_at   timestamptz not null
);

-- The log. Append-only: no role is ever granted update or delete on it. (epoch, xid, seq) is the
-- place of an event and, written in base32, its id. A sequence alone would show 8 before 7 when two
-- transactions commit out of order; the transaction id says below which place nothing can appear.
create table events (
  epoch           smallint    not null,
  xid             xid8        not null default pg_current_xact_id(),
  seq             bigint      not null generated always as identity,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  environment     environment not null default current_setting('millrace.environment')::environment,
  topic           text        collate "C" not null,
  type            text        collate "C" not null,
  actor_id        text        collate "C" not null,
  actor_type      text        not null,
  actor_name      text        not null,
  resource_type   text        collate "C" not null,
  resource_id     text        collate "C" not null,
  resource_number text,
  resource_name   text,
  request_id      text,
  correlation_id  text        collate "C" not null,
  causation_id    text        collate "C",
  depth           smallint    not null default 0,
  created_at      timestamptz not null,
  data            jsonb       not null,
  primary key (epoch, xid, seq)
);
-- The audit log, newest first or by topic; and what happened to one thing.
create index events_topic on events (workspace_id, environment, topic, epoch, xid, seq);
create index events_order on events (workspace_id, environment, epoch, xid, seq);
create index events_resource on events (workspace_id, environment, resource_id, epoch, xid, seq);

-- Where each reader stands. Moved in the same transaction as the reader's own writes.
create table readers (
  name       text        collate "C" primary key,
  epoch      smallint    not null,
  xid        xid8        not null,
  seq        bigint      not null,
  updated_at timestamptz not null
);

-- Work to be done at `due_at`. A claim moves `due_at` to the end of the lease, so that the work of a
-- dead worker simply becomes due again; `generation` tells a late worker that the job is no longer its.
-- Whoever wants the same job while it is claimed leaves word in `next_…`, and it takes another turn.
create table jobs (
  id             text        collate "C" primary key,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null default current_setting('millrace.environment')::environment,
  kind           text        collate "C" not null,
  key            text        collate "C",
  payload        jsonb       not null,
  due_at         timestamptz not null,
  attempts       integer     not null default 0,
  generation     integer     not null default 0,
  claimed_at     timestamptz,
  next_due_at    timestamptz,
  next_payload   jsonb,
  failed_at      timestamptz,
  last_error     text,
  correlation_id text        collate "C" not null,
  causation_id   text        collate "C",
  depth          smallint    not null default 0,
  created_at     timestamptz not null
);
create index jobs_due on jobs (kind, due_at) where failed_at is null;
create unique index jobs_key on jobs (workspace_id, environment, kind, key) where key is not null;

-- The first answer to each request that carried an Idempotency-Key, sealed.
create table idempotency_keys (
  scope      text        collate "C" not null,
  key        text        collate "C" not null,
  request    bytea       not null,
  answer     bytea       not null,
  expires_at timestamptz not null,
  primary key (scope, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

alter table workspaces enable row level security;
alter table workspace_keys enable row level security;
alter table events enable row level security;
alter table jobs enable row level security;

create policy tenant on workspaces to millrace_app
  using (key = current_setting('millrace.workspace')::uuid);
create policy tenant on workspace_keys to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on events to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on jobs to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);

create policy everything on workspaces for select to millrace_system using (true);
create policy everything on workspace_keys for select to millrace_system using (true);
create policy everything on events for select to millrace_system using (true);
create policy everything on jobs to millrace_system using (true);

grant select on installation to millrace_app, millrace_system;
grant select, insert, update on workspaces to millrace_app;
grant select, insert on workspace_keys to millrace_app;
grant select, insert on events to millrace_app;
grant select, insert, update on readers to millrace_app;
grant select, insert, update, delete on jobs, idempotency_keys to millrace_app;
grant select on workspaces, workspace_keys, events, readers, idempotency_keys to millrace_system;
grant select, update on jobs to millrace_system;
