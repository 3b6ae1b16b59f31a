-- What a recovery has come to, for those who wait for it.
create table webhook_recoveries (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  webhook_id   text        collate "C" not null references webhooks on delete cascade,
  since        text        not null,
  checked      integer     not null default 0,
  matched      integer     not null default 0,
  created      integer     not null default 0,
  retried      integer     not null default 0,
  reached_at   timestamptz,
  requested_by text        not null,
  requested_at timestamptz not null,
  finished_at  timestamptz
);
create index webhook_recoveries_of on webhook_recoveries (webhook_id, id);
alter table webhook_recoveries enable row level security;
create policy tenant on webhook_recoveries to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on webhook_recoveries to millrace_app;

-- Addresses of our own that show what arrives at them, for a day.
create table test_endpoints (
  id            text        collate "C" primary key,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  name          text        not null,
  token         text        collate "C" not null unique,
  answer_status smallint    not null,
  answer_body   text        not null,
  received      integer     not null default 0,
  revision      integer     not null default 1,
  created_by    text        not null,
  created_at    timestamptz not null,
  expires_at    timestamptz not null
);
create index test_endpoints_age on test_endpoints (expires_at);
create table test_endpoint_requests (
  endpoint_id  text        collate "C" not null references test_endpoints on delete cascade,
  number       integer     not null,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  query        jsonb       not null,
  headers      jsonb       not null,
  body         text        not null,
  bytes        integer     not null,
  answered     smallint    not null,
  received_at  timestamptz not null,
  primary key (endpoint_id, number)
);
alter table test_endpoints enable row level security;
alter table test_endpoint_requests enable row level security;
create policy tenant on test_endpoints to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on test_endpoint_requests to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on test_endpoints to millrace_system using (true);
create policy everything on test_endpoint_requests to millrace_system using (true);
grant select, insert, update, delete on test_endpoints, test_endpoint_requests to millrace_app;
grant select, delete on test_endpoints, test_endpoint_requests to millrace_system;

-- When a secret was used last, written now and then.
alter table secrets add column last_used_at timestamptz;
create policy last_use on secrets for update to millrace_system using (true);
grant update (last_used_at) on secrets to millrace_system;
