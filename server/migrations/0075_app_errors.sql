-- Errors that people had in deployed apps. One that comes again is counted, and begins anew after a quiet hour.
create table app_errors (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  app_id       text        collate "C" not null references apps on delete cascade,
  page         text        collate "C" not null,
  component_id text        collate "C" not null,
  message      text        collate "C" not null,
  count        integer     not null,
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  primary key (app_id, environment, page, component_id, message)
);
alter table app_errors enable row level security;
-- Seen from all environments, as an app shows where it is.
create policy tenant on app_errors to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on app_errors to millrace_app;
