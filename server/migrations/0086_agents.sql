-- What agents remember of a conversation: the last messages, by a key that the workflow chooses.
create table agent_memories (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  key          text        collate "C" not null,
  messages     jsonb       not null,
  message_count integer    not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  unique (workspace_id, environment, key)
);
create index agent_memories_list on agent_memories (workspace_id, environment, id);
alter table agent_memories enable row level security;
create policy tenant on agent_memories to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on agent_memories to millrace_app;
