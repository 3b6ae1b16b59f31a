-- Applications that act for people. Of every secret here only a hash is kept.
create table oauth_applications (
  client_id      text        collate "C" primary key,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid
                             references workspaces (key),
  name           text        not null,
  redirect_uris  text[]      not null,
  allowed_scopes text[]      not null,
  secret_hash    bytea       not null,
  revision       integer     not null default 1,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create index oauth_applications_workspace on oauth_applications (workspace_id, client_id);

-- One answer that a person gave on the consent page, and the family of tokens that grows from it. The
-- id is made with the page, so a page decides once. A refusal is a row too: revoked from the start.
create table oauth_grants (
  id              text        collate "C" constraint oauth_grants_id primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  client_id       text        collate "C" not null
                              references oauth_applications (client_id) on delete cascade,
  user_id         text        collate "C" not null,
  scopes          text[]      not null,
  redirect_uri    text        not null,
  code_challenge  text        not null,
  code_hash       bytea       constraint oauth_grants_code unique,
  code_expires_at timestamptz not null,
  code_used_at    timestamptz,
  revoked_at      timestamptz,
  created_at      timestamptz not null,
  -- Whoever leaves the workspace takes along what they allowed, and does not bring it back.
  foreign key (workspace_id, user_id)
    references memberships (workspace_id, user_id) on delete cascade
);
create index oauth_grants_client on oauth_grants (client_id);
create index oauth_grants_user on oauth_grants (workspace_id, user_id);
create index oauth_grants_age on oauth_grants (created_at);

-- A refresh token that was used stays until it would have run out: a second use betrays a thief.
create table oauth_tokens (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  grant_id     text        collate "C" not null references oauth_grants (id) on delete cascade,
  kind         text        not null check (kind in ('access', 'refresh')),
  token_hash   bytea       not null constraint oauth_tokens_hash unique,
  scopes       text[]      not null,
  expires_at   timestamptz not null,
  used_at      timestamptz,
  created_at   timestamptz not null
);
create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);

alter table oauth_applications enable row level security;
alter table oauth_grants enable row level security;
alter table oauth_tokens enable row level security;
create policy tenant on oauth_applications to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on oauth_grants to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on oauth_tokens to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
-- The system looks up whose a token is, and sweeps away what has run out, in all workspaces.
create policy everything on oauth_applications for select to millrace_system using (true);
create policy everything on oauth_grants to millrace_system using (true);
create policy everything on oauth_tokens to millrace_system using (true);

grant select, insert, update, delete on oauth_applications, oauth_grants, oauth_tokens to millrace_app;
grant select on oauth_applications to millrace_system;
grant select, delete on oauth_grants, oauth_tokens to millrace_system;
