-- The keys of what a trigger has taken: the same thing does not start a second run within its window.
create table trigger_keys (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  workflow_id  text        collate "C" not null,
  trigger_id   text        collate "C" not null,
  -- Of the key's text.
  hash         bytea       not null,
  run_id       text        collate "C" not null,
  expires_at   timestamptz not null,
  primary key (workflow_id, environment, trigger_id, hash)
);
create index trigger_keys_expired on trigger_keys (expires_at);
alter table trigger_keys enable row level security;
create policy tenant on trigger_keys to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on trigger_keys to millrace_app;
