-- What a person may use in one workspace in their stead. Only hashes of tokens are kept.
create table api_tokens (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  user_id      text        collate "C" not null references users (id),
  name         text        not null,
  token_hash   bytea       not null constraint api_tokens_hash unique,
  scopes       text[]      not null,
  ip_allowlist text[],
  lifetime_days integer,
  expires_at   timestamptz,
  last_used_at timestamptz,
  revision     integer     not null default 1,
  created_at   timestamptz not null
);
create index api_tokens_user on api_tokens (workspace_id, user_id, id);
alter table api_tokens enable row level security;
create policy tenant on api_tokens to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on api_tokens to millrace_system using (true);
grant select, insert, update, delete on api_tokens to millrace_app;
grant select, update (last_used_at) on api_tokens to millrace_system;

-- One open invitation for each address and workspace. It is worth what its sender may grant, so it
-- ends with their membership.
create table invitations (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  email        text        collate "C" not null,
  name         text        not null,
  role_ids     text[]      not null,
  token_hash   bytea       not null constraint invitations_hash unique,
  invited_by   text        collate "C" not null references users (id),
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  constraint invitations_email unique (workspace_id, email)
);
create index invitations_sender on invitations (workspace_id, invited_by);
create index invitations_expiry on invitations (expires_at);
alter table invitations enable row level security;
create policy tenant on invitations to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on invitations to millrace_system using (true);
grant select, insert, update, delete on invitations to millrace_app;
grant select, delete on invitations to millrace_system;

-- A link that was sent to somebody who forgot their password; the newest is the only one.
create table password_resets (
  user_id    text        collate "C" primary key references users (id) on delete cascade,
  token_hash bytea       not null constraint password_resets_hash unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_resets_expiry on password_resets (expires_at);
grant select, insert, update, delete on password_resets to millrace_app;
grant select on password_resets to millrace_system;

-- From where a person has logged in before: guessing from elsewhere must not lock them out.
create table known_addresses (
  user_id      text        collate "C" not null references users (id) on delete cascade,
  address_hash bytea       not null,
  seen_at      timestamptz not null,
  primary key (user_id, address_hash)
);
create index known_addresses_age on known_addresses (seen_at);
grant select, insert, update, delete on known_addresses to millrace_app;
grant select on known_addresses to millrace_system;
