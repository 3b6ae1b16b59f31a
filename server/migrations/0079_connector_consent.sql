-- What somebody consented to: the tokens by which a connector acts for them at the other system.
create table connector_grants (
  connector_id  text        collate "C" primary key references connectors on delete cascade,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  -- Of the client and the addresses that it was given to: for another one it is worth nothing.
  client        text        collate "C" not null,
  sealed        bytea       not null,
  state         text        collate "C" not null default 'up',
  -- Counts refreshes.
  version       integer     not null default 1,
  -- A lease: until then one process refreshes it, and all others wait.
  refresh_until timestamptz,
  granted_by    text        collate "C" not null,
  granted_at    timestamptz not null,
  refreshed_at  timestamptz,
  check (state in ('up', 'expired'))
);
create index connector_grants_workspace on connector_grants (workspace_id, connector_id);
alter table connector_grants enable row level security;
create policy tenant on connector_grants to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on connector_grants to millrace_app;
