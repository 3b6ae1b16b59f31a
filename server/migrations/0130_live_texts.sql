-- The text of a model as it comes, for those who chat: whichever process they are connected to reads it. It is of use for
-- minutes and the journal has the answer, so that nothing of it is written ahead.
create sequence live_text_attempts;
create unlogged table live_texts (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  run_id       text        collate "C" not null,
  -- Of several the last counts, whoever wrote it: a process that is taken for dead may write on.
  attempt      bigint      not null,
  position     integer     not null,
  text         text        not null,
  written_at   timestamptz not null,
  primary key (run_id, attempt, position)
);
create index live_texts_age on live_texts (written_at);
alter table live_texts enable row level security;
create policy tenant on live_texts to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on live_texts to millrace_system using (true);
grant select, delete on live_texts to millrace_app;
grant select, insert, delete on live_texts to millrace_system;
grant usage on sequence live_text_attempts to millrace_system;
