-- What all kinds of tickets have in common. `kind` is incident, change, problem or request; the ticket
-- itself is a row of the table of its kind.

-- The last number of each kind: of the whole workspace, since people quote numbers without saying in
-- which environment.
create table ticket_numbers (
  workspace_id uuid   not null default current_setting('millrace.workspace')::uuid,
  kind         text   collate "C" not null,
  last         bigint not null,
  primary key (workspace_id, kind)
);

create table teams (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  description  text        not null default '',
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint teams_name unique (workspace_id, name)
);

create table team_members (
  workspace_id uuid not null default current_setting('millrace.workspace')::uuid,
  team_id      text collate "C" not null references teams on delete cascade,
  user_id      text collate "C" not null,
  primary key (team_id, user_id)
);
create index team_members_user on team_members (workspace_id, user_id);

-- How a workspace runs its desk; without a row, as everyone does.
create table desk_settings (
  workspace_id    uuid        primary key default current_setting('millrace.workspace')::uuid,
  -- priority_matrix[impact][urgency], from 1.
  priority_matrix jsonb       not null,
  auto_close_days integer     not null,
  revision        integer     not null default 1,
  updated_at      timestamptz not null
);

create table ticket_comments (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  kind         text        collate "C" not null,
  ticket_id    text        collate "C" not null,
  body         text        not null,
  internal     boolean     not null,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null
);
create index ticket_comments_ticket on ticket_comments (workspace_id, environment, ticket_id, id);

create table ticket_watchers (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  kind         text        collate "C" not null,
  ticket_id    text        collate "C" not null,
  user_id      text        collate "C" not null,
  created_at   timestamptz not null,
  primary key (workspace_id, environment, ticket_id, user_id)
);

-- Texts, such as logs: nothing that anyone's program would run.
create table ticket_attachments (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  kind         text        collate "C" not null,
  ticket_id    text        collate "C" not null,
  name         text        not null,
  bytes        integer     not null,
  content      text        not null,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null
);
create index ticket_attachments_ticket on ticket_attachments (workspace_id, environment, ticket_id, id);

-- What one ticket has to do with another, told once for both.
create table ticket_links (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  type         text        collate "C" not null,
  from_kind    text        collate "C" not null,
  from_id      text        collate "C" not null,
  to_kind      text        collate "C" not null,
  to_id        text        collate "C" not null,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  constraint ticket_links_once unique (workspace_id, environment, from_id, to_id, type)
);
create index ticket_links_back on ticket_links (workspace_id, environment, to_id, type, id);

-- The configuration items that a ticket is about.
create table ticket_items (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  kind         text        collate "C" not null,
  ticket_id    text        collate "C" not null,
  item_id      text        collate "C" not null,
  primary key (workspace_id, environment, ticket_id, item_id)
);
create index ticket_items_item on ticket_items (workspace_id, environment, item_id, kind);

alter table ticket_numbers enable row level security;
alter table teams enable row level security;
alter table team_members enable row level security;
alter table desk_settings enable row level security;
alter table ticket_comments enable row level security;
alter table ticket_watchers enable row level security;
alter table ticket_attachments enable row level security;
alter table ticket_links enable row level security;
alter table ticket_items enable row level security;

create policy tenant on ticket_numbers to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on teams to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on team_members to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on desk_settings to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on ticket_comments to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on ticket_watchers to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on ticket_attachments to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on ticket_links to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on ticket_items to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);

grant select, insert, update on ticket_numbers, desk_settings to millrace_app;
grant select, insert, update, delete on teams to millrace_app;
grant select, insert on ticket_comments to millrace_app;
grant select, insert, delete on
  team_members, ticket_watchers, ticket_attachments, ticket_links, ticket_items to millrace_app;
