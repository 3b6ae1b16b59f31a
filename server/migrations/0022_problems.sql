-- What lies behind incidents. A problem's incidents are rows of ticket_links of the type caused_by, from
-- the incident to the problem.
create table problems (
  id             text        collate "C" primary key,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null default current_setting('millrace.environment')::environment,
  no             bigint      not null,
  number         text        collate "C" not null,
  title          text        not null,
  description    text        not null,
  state          text        collate "C" not null
    check (state in ('open', 'investigating', 'known_error', 'resolved', 'closed')),
  priority       integer     not null check (priority between 1 and 5),
  assignee_id    text        collate "C",
  team_id        text        collate "C",
  root_cause     text,
  workaround     text,
  resolution     text,
  known_error_at timestamptz,
  resolved_at    timestamptz,
  closed_at      timestamptz,
  created_by     text        collate "C" not null,
  revision       integer     not null default 1,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  constraint problems_no unique (workspace_id, environment, no)
);
create index problems_number on problems (workspace_id, environment, number);
create index problems_created on problems (workspace_id, environment, created_at, no);
create index problems_state on problems (workspace_id, environment, state, created_at, no);
create index problems_assignee on problems (workspace_id, environment, assignee_id, created_at, no)
  where assignee_id is not null;
create index problems_team on problems (workspace_id, environment, team_id, created_at, no)
  where team_id is not null;
create index problems_known_errors on problems (workspace_id, environment, known_error_at, no)
  where state = 'known_error';

alter table problems enable row level security;
create policy tenant on problems to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update on problems to millrace_app;
