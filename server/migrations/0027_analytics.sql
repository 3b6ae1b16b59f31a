-- Reports, dashboards and KPIs are about the data of one environment, and belong to it as tables do.
create table reports (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  name         text        not null,
  description  text        not null,
  -- Source, filter, groups, aggregates and the rest, as they were checked.
  definition   jsonb       not null,
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint reports_name unique (workspace_id, environment, name)
);
create index reports_list on reports (workspace_id, environment, id);

create table dashboards (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  name         text        not null,
  description  text        not null,
  widgets      jsonb       not null,
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint dashboards_name unique (workspace_id, environment, name)
);
create index dashboards_list on dashboards (workspace_id, environment, id);

create table kpis (
  id           text             collate "C" primary key,
  workspace_id uuid             not null default current_setting('millrace.workspace')::uuid,
  environment  environment      not null default current_setting('millrace.environment')::environment,
  name         text             not null,
  description  text             not null,
  -- The report or the aggregate that it is, and over which time.
  measure      jsonb            not null,
  target       double precision not null,
  direction    text             collate "C" not null
    constraint kpis_direction check (direction in ('up', 'down')),
  unit         text,
  cron         text             not null,
  timezone     text             not null,
  -- Whose rights its snapshots have: of whoever saved it last, and no more than their credential had.
  run_as       text             collate "C" not null,
  permissions  text[],
  next_due_at  timestamptz,
  revision     integer          not null default 1,
  created_by   text             collate "C" not null,
  created_at   timestamptz      not null,
  updated_at   timestamptz      not null,
  constraint kpis_name unique (workspace_id, environment, name)
);
create index kpis_list on kpis (workspace_id, environment, id);

-- What a KPI was at a time. `met` is the side of the target that it was on then; null where there was no
-- value, be it that there was nothing to measure or that it failed.
create table kpi_snapshots (
  workspace_id uuid             not null default current_setting('millrace.workspace')::uuid,
  environment  environment      not null default current_setting('millrace.environment')::environment,
  kpi_id       text             collate "C" not null references kpis on delete cascade,
  at           timestamptz      not null,
  value        double precision,
  target       double precision not null,
  met          boolean,
  backfilled   boolean          not null,
  error        text,
  taken_at     timestamptz      not null,
  primary key (kpi_id, at)
);
-- For who deletes what is old, in all workspaces.
create index kpi_snapshots_age on kpi_snapshots (at);

-- An export is written page by page: its position, how far its file is, and the page's bytes commit together,
-- so that whoever goes on after a crash repeats nothing and leaves nothing out.
create table exports (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  name         text        not null,
  content      jsonb       not null,
  format       text        collate "C" not null,
  status       text        collate "C" not null
    constraint exports_status check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  rows         bigint      not null default 0,
  total        bigint,
  bytes        bigint      not null default 0,
  chunks       integer     not null default 0,
  -- The key of the last row that was written, and what the file's form has to remember.
  position     jsonb,
  form         jsonb,
  error        text,
  run_as       text        collate "C" not null,
  permissions  text[],
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  started_at   timestamptz,
  finished_at  timestamptz,
  expires_at   timestamptz not null
);
create index exports_list on exports (workspace_id, environment, id);
create index exports_own on exports (workspace_id, environment, run_as, id);
create index exports_open on exports (workspace_id, environment) where status in ('queued', 'running');
create index exports_expiry on exports (expires_at);

create table export_chunks (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  export_id    text        collate "C" not null references exports on delete cascade,
  no           integer     not null,
  -- How many bytes of the file come before it.
  start        bigint      not null,
  bytes        bytea       not null,
  primary key (export_id, no)
);
-- They are compressed already, or read once.
alter table export_chunks alter column bytes set storage external;

do $$
declare
  name text;
begin
  foreach name in array array['reports', 'dashboards', 'kpis', 'kpi_snapshots', 'exports', 'export_chunks']
  loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy tenant on %I to millrace_app
         using (workspace_id = current_setting(''millrace.workspace'')::uuid
            and environment = current_setting(''millrace.environment'')::environment)', name);
  end loop;
end $$;
create policy everything on kpi_snapshots to millrace_system using (true);
create policy everything on exports for select to millrace_system using (true);
create policy everything on export_chunks to millrace_system using (true);
grant select, insert, update, delete on reports, dashboards, kpis, exports to millrace_app;
grant select, insert on kpi_snapshots to millrace_app;
grant select, insert, delete on export_chunks to millrace_app;
grant select on exports to millrace_system;
grant select, delete on kpi_snapshots to millrace_system;
grant select, delete on export_chunks to millrace_system;
