-- Apps that anyone may open, each in an environment, and the domains at which they do.
create table app_publications (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  app_id       text        collate "C" not null references apps (id) on delete cascade,
  -- With whose rights strangers use it, as far as a token confined them.
  public_by    text        collate "C" not null,
  permissions  text[],
  domain       text        collate "C",
  created_at   timestamptz not null,
  primary key (workspace_id, environment, app_id)
);
-- A domain was shown to lead here before it is written down.
create unique index app_publications_domain on app_publications (domain) where domain is not null;

alter table app_publications enable row level security;
create policy tenant on app_publications to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on app_publications to millrace_app;
create policy system on app_publications for select to millrace_system using (true);
grant select on app_publications to millrace_system;
-- The domains of all workspaces are known before a request is anybody's.
create policy system on apps for select to millrace_system using (true);
grant select (id, slug) on apps to millrace_system;
