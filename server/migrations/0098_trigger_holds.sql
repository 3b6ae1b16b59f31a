-- Events that a trigger holds for a key: until they are quiet, enough, or may begin their runs. A job looks at each row when it is due.
create table trigger_holds (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  workflow_id  text        collate "C" not null,
  trigger_id   text        collate "C" not null,
  -- Of the key's text.
  hash         bytea       not null,
  key          text        not null,
  kind         text        not null,
  events       text[]      collate "C" not null default '{}',
  heard        integer     not null default 0,
  dropped      integer     not null default 0,
  since        timestamptz not null,
  due_at       timestamptz not null,
  -- Of a rate limit: when it would be as if nothing had ever come.
  clear_at     timestamptz not null,
  primary key (workflow_id, environment, trigger_id, hash)
);
alter table trigger_holds enable row level security;
create policy tenant on trigger_holds to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on trigger_holds to millrace_app;
