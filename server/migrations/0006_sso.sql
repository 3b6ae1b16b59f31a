-- How the people of a workspace sign in at an identity provider of its choice.
create table sso_configurations (
  workspace_id     uuid        primary key default current_setting('millrace.workspace')::uuid
                               references workspaces (key),
  protocol         text        not null check (protocol in ('saml2', 'oidc')),
  -- What only this protocol has, as it was checked when it was saved.
  provider         jsonb       not null,
  -- Sealed under the workspace's data key.
  client_secret    bytea,
  jit_provisioning boolean     not null,
  default_role     text        collate "C" not null,
  enforce_sso      boolean     not null,
  revision         integer     not null default 1,
  created_at       timestamptz not null,
  updated_at       timestamptz not null
);

-- Logins that are under way, by the hash of the `state` or RelayState that went along. Answered once,
-- or not at all; what must be told nobody, such as the nonce and the code verifier, is sealed.
create table sso_requests (
  state_hash   bytea       primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  browser_hash bytea       not null,
  details      bytea       not null,
  expires_at   timestamptz not null
);
create index sso_requests_expiry on sso_requests (workspace_id, expires_at);

-- Assertions that were used, for as long as they would still be valid.
create table sso_assertions (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  id_hash      bytea       not null,
  expires_at   timestamptz not null,
  primary key (workspace_id, id_hash)
);
create index sso_assertions_expiry on sso_assertions (workspace_id, expires_at);

-- Members who have signed in here by single sign-on. `issuer` and `subject` are the provider's own
-- lasting name for them, where it has one. `adopted` tells those whom the provider's word alone made
-- members: they were not asked, so what this workspace enforces must not reach beyond it.
create table sso_members (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  user_id      text        collate "C" not null,
  issuer       text        collate "C",
  subject      text        collate "C",
  adopted      boolean     not null,
  created_at   timestamptz not null,
  primary key (workspace_id, user_id),
  constraint sso_members_subject unique (workspace_id, issuer, subject),
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);
create index sso_members_user on sso_members (user_id) where adopted;

-- A session that a workspace's identity provider vouched for is good for that workspace alone.
alter table sessions add column confined_to uuid references workspaces (key);

alter table sso_configurations enable row level security;
alter table sso_requests enable row level security;
alter table sso_assertions enable row level security;
alter table sso_members enable row level security;
create policy tenant on sso_configurations to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on sso_requests to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on sso_assertions to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on sso_members to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on sso_configurations for select to millrace_system using (true);
create policy everything on sso_requests for select to millrace_system using (true);
create policy everything on sso_members for select to millrace_system using (true);
grant select, insert, update, delete
   on sso_configurations, sso_requests, sso_assertions, sso_members to millrace_app;
grant select on sso_configurations, sso_requests, sso_members to millrace_system;
