-- An account is a person, whatever the workspaces it belongs to; these two tables stand above the
-- workspaces and carry no row-level security.
create table users (
  id            text        collate "C" primary key,
  email         text        collate "C" not null constraint users_email unique,
  name          text        not null,
  password_hash text,
  status        text        not null default 'active',
  mfa_enrolled  boolean     not null default false,
  revision      integer     not null default 1,
  created_at    timestamptz not null,
  updated_at    timestamptz not null
);

-- Only the hash of a session's token is kept.
create table sessions (
  id         text        collate "C" primary key,
  user_id    text        collate "C" not null references users (id) on delete cascade,
  token_hash bytea       not null constraint sessions_token unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

create table memberships (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid
                           references workspaces (key),
  user_id      text        collate "C" not null references users (id),
  roles        text[]      not null,
  status       text        not null default 'active',
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, user_id)
);
create index memberships_user on memberships (user_id);

alter table memberships enable row level security;
create policy tenant on memberships to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
-- A person sees where they belong before they have chosen a workspace.
create policy own on memberships for select to millrace_app
  using (user_id = current_setting('millrace.person', true) and status = 'active');
create policy own on workspaces for select to millrace_app
  using (key in (select workspace_id from memberships
                  where user_id = current_setting('millrace.person', true) and status = 'active'));
create policy everything on memberships for select to millrace_system using (true);

-- The roles that a workspace made for itself; the built-in ones are in the code.
create table roles (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        collate "C" not null,
  description  text        not null,
  permissions  text[]      not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint roles_name unique (workspace_id, name)
);
alter table roles enable row level security;
create policy tenant on roles to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on roles for select to millrace_system using (true);

grant select, insert, update on users to millrace_app;
grant select, insert, update, delete on sessions, memberships, roles to millrace_app;
grant select on users, sessions, memberships, roles to millrace_system;
