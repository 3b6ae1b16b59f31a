-- Settings of one person in one workspace, by keys that the console chooses. Who leaves leaves nothing behind.
create table preferences (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  user_id      text        collate "C" not null,
  key          text        collate "C" not null,
  value        jsonb       not null,
  revision     integer     not null default 1,
  updated_at   timestamptz not null,
  primary key (workspace_id, user_id, key),
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);
alter table preferences enable row level security;
create policy tenant on preferences to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on preferences to millrace_app;
