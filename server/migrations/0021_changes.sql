-- Changes, who decides on them, and when none may happen.

create table changes (
  id                  text        collate "C" primary key,
  workspace_id        uuid        not null default current_setting('millrace.workspace')::uuid,
  environment         environment not null default current_setting('millrace.environment')::environment,
  no                  bigint      not null,
  number              text        collate "C" not null,
  title               text        not null,
  description         text        not null,
  state               text        collate "C" not null check (state in ('draft', 'submitted',
    'approved', 'rejected', 'implementing', 'completed', 'rolled_back', 'cancelled')),
  type                text        collate "C" not null check (type in ('standard', 'normal', 'emergency')),
  -- No reference: a template that is deleted stays known as what a change was made from.
  template_id         text        collate "C",
  impact              integer     not null,
  risk_score          integer     not null,
  risk_level          text        collate "C" not null,
  risk_reasons        text[]      not null,
  planned_start       timestamptz,
  planned_end         timestamptz,
  justification       text        not null,
  implementation_plan text        not null,
  rollback_plan       text        not null,
  test_plan           text        not null,
  approval_rule       text        collate "C" not null check (approval_rule in ('count', 'all', 'percentage')),
  approval_value      integer     not null,
  approver_ids        text[]      collate "C" not null,
  -- How often it was submitted: votes count in the round that they were given in.
  round               integer     not null default 0,
  approvals_given     integer     not null default 0,
  assignee_id         text        collate "C",
  team_id             text        collate "C",
  submitted_at        timestamptz,
  approved_at         timestamptz,
  implemented_at      timestamptz,
  completed_at        timestamptz,
  rolled_back_at      timestamptz,
  rejection_reason    text,
  cancellation_reason text,
  implementation_notes text,
  completion_notes    text,
  rollback_notes      text,
  outcome             text        collate "C",
  created_by          text        collate "C" not null,
  revision            integer     not null default 1,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  constraint changes_no unique (workspace_id, environment, no),
  constraint changes_number unique (workspace_id, environment, number),
  check (planned_end > planned_start)
);
create index changes_created on changes (workspace_id, environment, created_at, no);
create index changes_state on changes (workspace_id, environment, state, created_at, no);
create index changes_requester on changes (workspace_id, environment, created_by, created_at, no);
create index changes_assignee on changes (workspace_id, environment, assignee_id, created_at, no);
-- Whoever asks for a time asks for what is not over by its beginning, which most changes are.
create index changes_window on changes (workspace_id, environment, planned_end)
  where planned_end is not null;

-- One for each seat: that of a named approver, or the voter's own where nobody is named.
create table change_votes (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  change_id    text        collate "C" not null references changes,
  round        integer     not null,
  approver_id  text        collate "C" not null,
  user_id      text        collate "C" not null,
  decision     text        collate "C" not null check (decision in ('approved', 'rejected')),
  comment      text        not null,
  created_at   timestamptz not null,
  constraint change_votes_seat unique (workspace_id, environment, change_id, round, approver_id)
);

-- Who votes in a named approver's stead on one change.
create table change_proxies (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  change_id    text        collate "C" not null references changes,
  approver_id  text        collate "C" not null,
  user_id      text        collate "C" not null,
  created_at   timestamptz not null,
  primary key (workspace_id, environment, change_id, approver_id)
);

-- Who votes in somebody's stead on all changes for a time, such as that of a holiday.
create table change_delegations (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  user_id      text        collate "C" not null,
  to_user_id   text        collate "C" not null,
  starts_at    timestamptz not null,
  ends_at      timestamptz not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, user_id),
  check (ends_at > starts_at)
);
create index change_delegations_to on change_delegations (workspace_id, to_user_id);

create table change_templates (
  id                  text        collate "C" primary key,
  workspace_id        uuid        not null default current_setting('millrace.workspace')::uuid,
  no                  bigint      generated always as identity,
  name                text        not null,
  description         text        not null,
  title               text        not null,
  impact              integer     not null,
  justification       text        not null,
  implementation_plan text        not null,
  rollback_plan       text        not null,
  test_plan           text        not null,
  active              boolean     not null,
  created_by          text        collate "C" not null,
  revision            integer     not null default 1,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  constraint change_templates_name unique (workspace_id, name)
);
create index change_templates_no on change_templates (workspace_id, no);

create table blackout_windows (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  no           bigint      generated always as identity,
  name         text        not null,
  reason       text        not null,
  starts_at    timestamptz not null,
  ends_at      timestamptz not null,
  -- All, when there are none. Not tied to the items: a window must not widen when one is deleted.
  item_ids     text[]      collate "C" not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  check (ends_at > starts_at)
);
create index blackout_windows_end on blackout_windows (workspace_id, environment, ends_at);

-- Addresses from which calendar programs read, which can't say who they are. Only a hash is kept.
create table calendar_feeds (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  user_id      text        collate "C" not null,
  token_hash   bytea       not null unique,
  created_at   timestamptz not null,
  primary key (workspace_id, environment, user_id)
);

alter table changes enable row level security;
alter table change_votes enable row level security;
alter table change_proxies enable row level security;
alter table change_delegations enable row level security;
alter table change_templates enable row level security;
alter table blackout_windows enable row level security;
alter table calendar_feeds enable row level security;

create policy tenant on changes to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on change_votes to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on change_proxies to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on change_delegations to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on change_templates to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on blackout_windows to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on calendar_feeds to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
-- Whose calendar an address is must be known before there is a workspace to read in.
create policy everything on calendar_feeds for select to millrace_system using (true);

grant select, insert, update on changes, change_proxies to millrace_app;
grant select, insert on change_votes to millrace_app;
grant select, insert, update, delete on change_delegations, change_templates, blackout_windows
  to millrace_app;
grant select, insert, update, delete on calendar_feeds to millrace_app;
grant select on calendar_feeds to millrace_system;
