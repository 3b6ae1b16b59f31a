-- Who is at something now. It is forgotten by itself, after a crash at once, so that nothing of it is written ahead;
-- heartbeats change no indexed column, and find room on the same page.
create unlogged table presence (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  thing        text        collate "C" not null,
  user_id      text        collate "C" not null,
  -- Two browsers of one person come and go by themselves.
  session_id   text        collate "C" not null,
  name         text        not null,
  state        text        collate "C" not null,
  place        text,
  since        timestamptz not null,
  expires_at   timestamptz not null,
  primary key (workspace_id, environment, thing, user_id, session_id)
) with (fillfactor = 50);

alter table presence enable row level security;
create policy tenant on presence to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on presence for select to millrace_system using (true);
grant select, insert, update, delete on presence to millrace_app;
grant select on presence to millrace_system;
