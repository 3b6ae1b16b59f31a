-- What runs here, and what depends on what. Whoever refers to an item refers to its id alone: of a table
-- that nobody has analysed yet, such as in a first import, the planner would look for more columns than
-- that in the wrong index, and check each reference against all items of the workspace.
create table cmdb_items (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  -- Ends every order of lists: comparisons of numbers may use an index under row-level security.
  no           bigint      generated always as identity,
  class        text        collate "C" not null,
  -- What an import knows it by.
  key          text        collate "C",
  name         text        not null,
  status       text        collate "C" not null
    check (status in ('planned', 'active', 'inactive', 'maintenance', 'retired')),
  description  text        not null,
  attributes   jsonb       not null,
  owner_id     text        collate "C",
  team_id      text        collate "C",
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint cmdb_items_key unique (workspace_id, environment, class, key)
);
create index cmdb_items_created on cmdb_items (workspace_id, environment, created_at, no);
create index cmdb_items_updated on cmdb_items (workspace_id, environment, updated_at, no);
create index cmdb_items_class on cmdb_items (workspace_id, environment, class, created_at, no);
create index cmdb_items_name on cmdb_items (workspace_id, environment, name, no);
create index cmdb_items_no on cmdb_items (workspace_id, environment, no);

-- A class without a row here is one of the built-in ones, whose attributes are free.
create table cmdb_classes (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  name         text        collate "C" not null,
  label        text        not null,
  description  text        not null,
  -- A JSON Schema of an object.
  attributes   jsonb       not null,
  extends      text        collate "C",
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint cmdb_classes_name primary key (workspace_id, environment, name)
);

-- Both indexes hold all that a walk over the graph reads. Nothing goes with an item in silence: whoever
-- deletes it deletes its relationships first, and the log tells of each.
create table cmdb_relationships (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  no           bigint      generated always as identity,
  from_id      text        collate "C" not null references cmdb_items,
  to_id        text        collate "C" not null references cmdb_items,
  type         text        collate "C" not null
    check (type in ('depends_on', 'hosted_on', 'connects_to', 'member_of', 'uses')),
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  check (from_id <> to_id),
  constraint cmdb_relationships_once
    unique (workspace_id, environment, from_id, type, to_id) include (id, no)
);
create index cmdb_relationships_back on cmdb_relationships
  (workspace_id, environment, to_id, type) include (from_id, id, no);
create index cmdb_relationships_no on cmdb_relationships (workspace_id, environment, no);

alter table ticket_items add constraint ticket_items_known foreign key (item_id)
  references cmdb_items on delete cascade;

alter table cmdb_items enable row level security;
alter table cmdb_classes enable row level security;
alter table cmdb_relationships enable row level security;

create policy tenant on cmdb_items to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on cmdb_classes to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on cmdb_relationships to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);

grant select, insert, update, delete on cmdb_items, cmdb_classes to millrace_app;
grant select, insert, delete on cmdb_relationships to millrace_app;
