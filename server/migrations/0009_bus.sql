-- The keys of published messages within the window in which a second one is suppressed. Whoever
-- inserts a key first publishes; the others wait for that to commit and then find it here.
create table message_keys (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  topic        text        collate "C" not null,
  key          text        collate "C" not null,
  message_id   text        collate "C" not null,
  expires_at   timestamptz not null,
  primary key (workspace_id, environment, topic, key)
);
create index message_keys_expiry on message_keys (expires_at);
alter table message_keys enable row level security;
create policy tenant on message_keys to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on message_keys to millrace_system using (true);
grant select, insert, update on message_keys to millrace_app;
grant select, delete on message_keys to millrace_system;

-- A topic that holds nothing any more is forgotten.
create policy everything on topic_counts to millrace_system using (true);
grant select, delete on topic_counts to millrace_system;
