create table incidents (
  id              text        collate "C" primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  environment     environment not null default current_setting('millrace.environment')::environment,
  no              bigint      not null,
  number          text        collate "C" not null,
  title           text        not null,
  description     text        not null,
  state           text        collate "C" not null
    check (state in ('new', 'in_progress', 'on_hold', 'resolved', 'closed', 'cancelled')),
  -- Whether somebody still has to work on it: what the indexes of queues hold.
  is_open         boolean     not null generated always as
    (state in ('new', 'in_progress', 'on_hold')) stored,
  impact          integer     not null check (impact between 1 and 3),
  urgency         integer     not null check (urgency between 1 and 3),
  priority        integer     not null check (priority between 1 and 5),
  severity        text        collate "C" not null
    check (severity in ('low', 'medium', 'high', 'critical')),
  category        text        not null,
  caller_id       text        collate "C",
  assignee_id     text        collate "C",
  team_id         text        collate "C",
  on_hold_reason  text,
  resolution      text,
  resolution_code text        collate "C",
  resolved_at     timestamptz,
  resolved_by     text        collate "C",
  closed_at       timestamptz,
  reopen_count    integer     not null default 0,
  is_major        boolean     not null default false,
  parent_id       text        collate "C" references incidents,
  created_by      text        collate "C" not null,
  revision        integer     not null default 1,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  -- No incident is in two families, nor at the head of one and in another.
  check (parent_id is null or not is_major),
  unique (workspace_id, environment, no),
  unique (workspace_id, environment, number)
);
create index incidents_newest on incidents (workspace_id, environment, created_at, no);
create index incidents_state on incidents (workspace_id, environment, state, created_at, no);
create index incidents_team on incidents (workspace_id, environment, team_id, created_at, no)
  where team_id is not null;
create index incidents_parent on incidents (workspace_id, environment, parent_id, no)
  where parent_id is not null;
-- What is somebody's to do, in both orders that people have it in.
create index incidents_mine on incidents (workspace_id, environment, assignee_id, created_at, no)
  where is_open;
create index incidents_mine_by_priority
  on incidents (workspace_id, environment, assignee_id, priority, created_at, no)
  where is_open;
-- What nobody of a team has taken yet.
create index incidents_untaken
  on incidents (workspace_id, environment, team_id, priority, created_at, no)
  where is_open and assignee_id is null;
create index incidents_open_by_priority
  on incidents (workspace_id, environment, priority, created_at, no)
  where is_open;
-- What closes by itself when its time has come.
create index incidents_resolved on incidents (workspace_id, environment, resolved_at)
  where state = 'resolved';

alter table incidents enable row level security;
create policy tenant on incidents to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update on incidents to millrace_app;

-- Where there is something to close is looked up for all workspaces at once.
create policy everything on incidents for select to millrace_system using (true);
create policy everything on desk_settings for select to millrace_system using (true);
grant select (workspace_id, environment, state, resolved_at) on incidents to millrace_system;
grant select (workspace_id, auto_close_days) on desk_settings to millrace_system;
