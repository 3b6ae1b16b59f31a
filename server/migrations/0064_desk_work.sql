-- An incident on hold may come back by itself.
alter table incidents add column hold_until timestamptz;

-- The time that people spent on tickets.
create table ticket_times (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  kind         text        collate "C" not null,
  ticket_id    text        collate "C" not null,
  user_id      text        collate "C" not null,
  minutes      integer     not null check (minutes between 1 and 1440),
  -- A day, such as `2026-12-05`.
  spent_on     text        collate "C" not null,
  note         text        not null,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null
);
create index ticket_times_ticket on ticket_times (workspace_id, environment, ticket_id, id);
create index ticket_times_person on ticket_times (workspace_id, environment, user_id, spent_on, id);

-- The steps in which a ticket is worked on, each by somebody.
create table ticket_tasks (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  kind         text        collate "C" not null,
  ticket_id    text        collate "C" not null,
  position     integer     not null,
  title        text        not null,
  description  text        not null,
  state        text        collate "C" not null check (state in ('open', 'done', 'skipped')),
  assignee_id  text        collate "C",
  team_id      text        collate "C",
  due_at       timestamptz,
  must_be_done boolean     not null,
  internal     boolean     not null,
  ended_by     text        collate "C",
  ended_at     timestamptz,
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null
);
create index ticket_tasks_ticket on ticket_tasks (workspace_id, environment, ticket_id, position, id);
create index ticket_tasks_person on ticket_tasks (workspace_id, environment, assignee_id, due_at, id)
  where state = 'open';
create index ticket_tasks_team on ticket_tasks (workspace_id, environment, team_id, due_at, id)
  where state = 'open';
alter table change_templates add column tasks jsonb not null default '[]';
alter table catalog_items add column tasks jsonb not null default '[]';

-- Who is away, and gets nothing while they are.
create table absences (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  user_id      text        collate "C" not null,
  starts_at    timestamptz not null,
  ends_at      timestamptz not null,
  note         text        not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  check (starts_at < ends_at)
);
create index absences_person on absences (workspace_id, user_id, ends_at);

create table assignment_rules (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  entity       text        collate "C" not null,
  position     integer     not null,
  conditions   jsonb       not null,
  on_events    text[]      collate "C" not null,
  method       text        collate "C" not null
                           check (method in ('round_robin', 'least_load', 'fixed', 'on_call', 'team')),
  team_id      text        collate "C" references teams on delete cascade,
  user_ids     text[]      collate "C" not null,
  schedule_id  text        collate "C",
  active       boolean     not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null
);
create index assignment_rules_position on assignment_rules (workspace_id, entity, position, id);

-- Whose turn it was last. Its lock makes those who assign by one rule take turns.
create table assignment_cursors (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  rule_id      text        collate "C" not null references assignment_rules on delete cascade,
  user_id      text        collate "C" not null,
  primary key (workspace_id, environment, rule_id)
);

create table on_call_schedules (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  description  text        not null,
  team_id      text        collate "C" references teams on delete cascade,
  time_zone    text        collate "C" not null,
  layers       jsonb       not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint on_call_schedules_name unique (workspace_id, name)
);

-- Somebody in another's stead for a time; of two the later one counts.
create table on_call_overrides (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  schedule_id  text        collate "C" not null references on_call_schedules on delete cascade,
  user_id      text        collate "C" not null,
  starts_at    timestamptz not null,
  ends_at      timestamptz not null,
  reason       text        not null,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  check (starts_at < ends_at)
);
create index on_call_overrides_time on on_call_overrides (workspace_id, schedule_id, ends_at);

create table escalation_policies (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  description  text        not null,
  entity       text        collate "C" not null,
  -- Null where it is started by hand or by a workflow alone.
  conditions   jsonb,
  steps        jsonb       not null,
  repeats      integer     not null check (repeats between 0 and 20),
  active       boolean     not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint escalation_policies_name unique (workspace_id, name)
);

-- One escalation of one ticket: it pages step by step until somebody acknowledges it.
create table pages (
  id              text        collate "C" primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  environment     environment not null default current_setting('millrace.environment')::environment,
  policy_id       text        collate "C" not null,
  kind            text        collate "C" not null,
  ticket_id       text        collate "C" not null,
  number          text        collate "C" not null,
  title           text        not null,
  state           text        collate "C" not null
                              check (state in ('paging', 'acknowledged', 'exhausted', 'ended')),
  -- The steps as they were when it began.
  steps           jsonb       not null,
  repeats         integer     not null,
  round           integer     not null,
  step            integer     not null,
  user_ids        text[]      collate "C" not null,
  next_at         timestamptz,
  acknowledged_by text        collate "C",
  acknowledged_at timestamptz,
  revision        integer     not null default 1,
  created_by      text        collate "C" not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null
);
create unique index pages_once on pages (workspace_id, environment, ticket_id, policy_id) where state = 'paging';
create index pages_ticket on pages (workspace_id, environment, ticket_id, id);
create index pages_state on pages (workspace_id, environment, state, id);

alter table ticket_times enable row level security;
alter table ticket_tasks enable row level security;
alter table absences enable row level security;
alter table assignment_rules enable row level security;
alter table assignment_cursors enable row level security;
alter table on_call_schedules enable row level security;
alter table on_call_overrides enable row level security;
alter table escalation_policies enable row level security;
alter table pages enable row level security;
create policy tenant on ticket_times to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on ticket_tasks to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on assignment_cursors to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on pages to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on absences to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on assignment_rules to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on on_call_schedules to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on on_call_overrides to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on escalation_policies to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on
  ticket_times, ticket_tasks, absences, assignment_rules, assignment_cursors, on_call_schedules,
  on_call_overrides, escalation_policies, pages to millrace_app;

-- A split gives some of them to another ticket; what they say stays as it is.
grant update (ticket_id) on ticket_comments, ticket_attachments to millrace_app;
