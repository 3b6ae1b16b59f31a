-- Views of tables that people save, for themselves or for everyone who reads the table.
create table table_views (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  table_slug   text        collate "C" not null,
  name         text        not null,
  kind         text        collate "C" not null check (kind in ('grid', 'board', 'calendar', 'form')),
  filter       jsonb       not null,
  sort         text        not null,
  group_by     text,
  date_field   text,
  hidden       text[]      not null,
  columns      text[]      not null,
  widths       jsonb       not null,
  frozen       integer     not null,
  row_height   text        collate "C" not null check (row_height in ('short', 'medium', 'tall')),
  summaries    jsonb       not null,
  shared       boolean     not null,
  position     integer     not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  -- A view ends with its table.
  foreign key (workspace_id, environment, table_slug)
    references user_tables (workspace_id, environment, slug) on delete cascade
);
create index table_views_position on table_views (workspace_id, environment, table_slug, position, id);

alter table table_views enable row level security;
create policy tenant on table_views to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on table_views to millrace_app;
