-- Imports: the way of a file into a table, in parts, and back.
create table imports (
  id             text        collate "C" primary key,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null default current_setting('millrace.environment')::environment,
  name           text        not null,
  state          text        collate "C" not null check (state in
                 ('analyzing', 'ready', 'checking', 'running', 'completed', 'cancelled', 'failed', 'taking_back', 'taken_back')),
  file_id        text        collate "C" not null,
  -- The rows of the file in a format of our own, in which a reader can begin anywhere.
  rows_file_id   text        collate "C",
  format_input   jsonb       not null default '{}',
  format         jsonb,
  lines          integer,
  columns        jsonb       not null default '[]',
  table_slug     text        collate "C",
  new_table      jsonb,
  mapping        jsonb       not null default '[]',
  key_field      text,
  -- True for one whose table it made itself.
  made_table     boolean     not null default false,
  -- Where the next batch begins in the rows; null when only corrected lines are left to do.
  position       bigint      default 0,
  counts         jsonb       not null,
  check_counts   jsonb,
  reason         text,
  run_as         text        collate "C" not null,
  permissions    text[],
  actor          jsonb       not null,
  created_by     text        collate "C" not null,
  revision       integer     not null default 1,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create index imports_id on imports (workspace_id, environment, id);

-- Lines that could not be imported, and what somebody made of them.
create table import_lines (
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null default current_setting('millrace.environment')::environment,
  import_id      text        collate "C" not null references imports (id) on delete cascade,
  line           integer     not null,
  cells          jsonb       not null,
  errors         jsonb       not null,
  corrected      boolean     not null default false,
  primary key (import_id, line)
);

-- The records that an import made or changed, as long as it can be taken back.
create table import_changes (
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null default current_setting('millrace.environment')::environment,
  import_id      text        collate "C" not null references imports (id) on delete cascade,
  record_id      text        collate "C" not null,
  -- The revision that the import left it in.
  revision       integer     not null,
  -- The fields before; null for a record that the import made.
  before         jsonb,
  refusal        text,
  primary key (import_id, record_id)
);

alter table imports enable row level security;
alter table import_lines enable row level security;
alter table import_changes enable row level security;
create policy tenant on imports to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on import_lines to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on import_changes to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on imports, import_lines, import_changes to millrace_app;
