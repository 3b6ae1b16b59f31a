-- An app's definition is its working copy, of the workspace in all its environments: pages, and the data
-- sources that their components name. It is one document, since each change is checked as a whole.
create table apps (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  slug         text        collate "C" not null,
  description  text        not null,
  status       text        collate "C" not null check (status in ('active', 'archived')),
  -- { accent }, or null.
  theme        jsonb,
  -- [{ id, path, title, components }]
  pages        jsonb       not null,
  -- [{ id, name, kind, config }]
  data_sources jsonb       not null,
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null
);
-- The slug of an archived one is free again.
create unique index apps_slug on apps (workspace_id, slug) where status = 'active';
create index apps_list on apps (workspace_id, status, name);

-- What was deployed: never changed, so that going back finds exactly what there was.
create table app_deployments (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  app_id       text        collate "C" not null references apps,
  number       integer     not null,
  -- { name, theme, pages, dataSources }
  snapshot     jsonb       not null,
  notes        text        not null,
  deployed_by  text        collate "C" not null,
  created_at   timestamptz not null,
  constraint app_deployments_number unique (app_id, environment, number)
);

-- The one of them that is served in an environment. Seen from all of them, as an app shows where it is.
create table app_live_deployments (
  workspace_id           uuid        not null default current_setting('millrace.workspace')::uuid,
  environment            environment not null default current_setting('millrace.environment')::environment,
  app_id                 text        collate "C" not null references apps,
  deployment_id          text        collate "C" not null references app_deployments,
  number                 integer     not null,
  previous_deployment_id text        collate "C" references app_deployments,
  since                  timestamptz not null,
  primary key (app_id, environment)
);

-- A token says for itself what it is good for; its row says that it still is, and for whom it acts.
create table app_embed_tokens (
  id              text        collate "C" primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  environment     environment not null default current_setting('millrace.environment')::environment,
  app_id          text        collate "C" not null references apps,
  page_id         text        collate "C",
  context         jsonb       not null,
  allowed_origins text[]      collate "C" not null,
  created_by      text        collate "C" not null,
  -- Which of that person's permissions, where a token of theirs made it; null for all.
  permissions     text[]      collate "C",
  expires_at      timestamptz not null,
  revoked_at      timestamptz,
  revision        integer     not null default 1,
  created_at      timestamptz not null
);
-- By time: each new token asks which are too old, and comparing ids is not let into an index by row security.
create index app_embed_tokens_list on app_embed_tokens (app_id, environment, created_at, id);

alter table apps enable row level security;
alter table app_deployments enable row level security;
alter table app_live_deployments enable row level security;
alter table app_embed_tokens enable row level security;
create policy tenant on apps to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on app_deployments to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on app_live_deployments to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on app_embed_tokens to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update on apps, app_live_deployments to millrace_app;
grant select, insert on app_deployments to millrace_app;
-- Those that have long expired are deleted when there is a new one.
grant select, insert, delete, update (revoked_at, revision) on app_embed_tokens to millrace_app;
