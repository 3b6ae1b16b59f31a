-- What a workspace demands of agents: which of their calls a person must approve, and who.
create table agent_policies (
  workspace_id     uuid        primary key default current_setting('millrace.workspace')::uuid,
  demands          text        not null,
  operations       text[]      not null,
  permissions      text[]      not null,
  approvers        text[]      not null,
  four_eyes        boolean     not null,
  expires_in_hours integer     not null,
  revision         integer     not null default 1,
  updated_at       timestamptz not null
);
alter table agent_policies enable row level security;
create policy tenant on agent_policies to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update on agent_policies to millrace_app;

-- A call of an agent that waits for a person's word, and what came of it. The call itself and its answer are sealed: the one may
-- hold a secret, the other is for the agent alone.
create table agent_calls (
  id              text        collate "C" primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  operation       text        not null,
  summary         text        not null,
  target          environment not null,
  call            bytea       not null,
  call_hash       bytea       not null,
  shown_input     jsonb       not null,
  preview         jsonb       not null,
  credential_kind text        not null,
  credential_id   text        collate "C" not null,
  agent_name      text        not null,
  user_id         text        collate "C" not null,
  user_name       text        not null,
  status          text        not null,
  decided_by      text,
  decider_name    text,
  decided_at      timestamptz,
  comment         text,
  cause           jsonb,
  outcome_status  integer,
  outcome_code    text,
  answer          bytea,
  finished_at     timestamptz,
  expires_at      timestamptz not null,
  created_at      timestamptz not null
);
-- An agent that repeats a call meets the one that waits.
create unique index agent_calls_pending on agent_calls (workspace_id, credential_id, call_hash) where status = 'pending';
create index agent_calls_list on agent_calls (workspace_id, id);
create index agent_calls_status on agent_calls (workspace_id, status, id);
create index agent_calls_age on agent_calls (created_at);
alter table agent_calls enable row level security;
create policy tenant on agent_calls to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on agent_calls to millrace_system using (true);
grant select, insert, update on agent_calls to millrace_app;
grant select, delete on agent_calls to millrace_system;
