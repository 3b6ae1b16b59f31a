-- The vault. A value is sealed under the data key of its workspace, bound to the workspace and the
-- name, so that a row moved elsewhere does not open. Definitions belong to all environments alike.
create table secrets (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        collate "C" not null,
  description  text        not null,
  sealed       bytea       not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint secrets_name primary key (workspace_id, name)
);

alter table secrets enable row level security;
create policy tenant on secrets to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on secrets for select to millrace_system using (true);

grant select, insert, update, delete on secrets to millrace_app;
grant select on secrets to millrace_system;
