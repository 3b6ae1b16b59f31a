-- Exports of a workspace, as its owners ask for them. The archive is an object beside the contents of files.
create table workspace_exports (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  status       text        collate "C" not null check (status in ('running', 'made', 'failed', 'deleted')),
  with_secrets boolean     not null,
  -- So far, while it is being made.
  rows         bigint      not null default 0,
  files        integer     not null default 0,
  bytes        bigint      not null default 0,
  place        text        collate "C",
  error        text,
  requested_by text        not null,
  created_at   timestamptz not null,
  finished_at  timestamptz
);
create index workspace_exports_newest on workspace_exports (workspace_id, id desc);
alter table workspace_exports enable row level security;
create policy tenant on workspace_exports to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on workspace_exports to millrace_app;
create policy everything on workspace_exports to millrace_system using (true);
grant select, update, delete on workspace_exports to millrace_system;

-- Archives that operators bring from elsewhere.
create table archive_imports (
  id             text        collate "C" primary key,
  state          text        collate "C" not null
                 check (state in ('receiving', 'received', 'checked', 'loaded', 'activated')),
  -- What is being done with it.
  task           text        collate "C" check (task in ('check', 'load', 'activate', 'discard')),
  -- Why the last of it did not succeed.
  error          text,
  file_name      text        not null,
  slug           text        collate "C",
  -- Its workspace has begun to come in: no other archive of it may.
  begun          boolean     not null default false,
  bytes          bigint      not null,
  received_bytes bigint      not null default 0,
  -- Of the task that goes on.
  read_bytes     bigint      not null default 0,
  workspace_key  uuid,
  -- From its head, when it was checked.
  summary        jsonb,
  requested_by   text        not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create index archive_imports_newest on archive_imports (id desc);
grant select, insert, update, delete on archive_imports to millrace_app;
grant select, update on archive_imports to millrace_system;

-- The parts of an upload: a row comes before the first byte of its object.
create table archive_parts (
  object    text    collate "C" primary key,
  import_id text    collate "C" not null references archive_imports on delete cascade,
  place     text    collate "C" not null,
  -- Where it begins in the archive; null until it has arrived as a whole.
  position  bigint,
  bytes     bigint  not null default 0,
  unique (import_id, position)
);
grant select, insert, update, delete on archive_parts to millrace_app;
grant select on archive_parts to millrace_system;
