-- A workspace that comes from another installation brings its log along, under the positions that it had there: they are
-- its events' ids. Those of two installations may be equal, so a position is unique within its workspace. The order of
-- the columns stays that of the log.
alter table events drop constraint events_pkey, add primary key (epoch, xid, seq, workspace_id);

-- As before, but the check lets an import put events of earlier epochs behind all readers.
create or replace function present_epoch() returns smallint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  known   text;
  present text;
  number  smallint;
begin
  if pg_is_in_recovery() then
    raise exception 'The database is a standby.' using errcode = 'cannot_connect_now';
  end if;
  select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    into present from pg_control_system();
  select cluster, epoch into known, number from public.installation;
  if known = present then
    return number;
  end if;
  -- The system role does not wait for its commits, but this one must be on the disk before anybody relies on it.
  perform set_config('synchronous_commit', 'on', true);
  -- Nobody reads the epoch while it changes; and another connection may have been quicker.
  lock table public.installation in access exclusive mode;
  select cluster, epoch into known, number from public.installation;
  if known = present then
    return number;
  end if;
  -- The first releases stored no timeline.
  if known = split_part(present, '/', 1) then
    update public.installation set cluster = present;
    return number;
  end if;
  update public.installation set cluster = present, epoch = epoch + 1 returning epoch into number;
  perform public.refuse_epochs_before(number);
  return number;
end $$;

-- No reader would find an event of an older epoch that is written from now on. So none can be.
create function refuse_epochs_before(number smallint) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format(
    'alter table public.events drop constraint if exists events_epoch,
       add constraint events_epoch
       check (epoch >= %s or coalesce(current_setting(''millrace.importing'', true), '''') = ''on'') not valid', number);
end $$;
revoke execute on function refuse_epochs_before(smallint) from public;
do $$
begin
  if exists (select from pg_constraint where conname = 'events_epoch') then
    perform refuse_epochs_before((select epoch from installation));
  end if;
end $$;

-- Of a workspace that was imported and not activated yet: it can be read, and nothing happens in it.
alter table workspaces add column paused_at timestamptz;
alter table former_members
  alter column workspace_id set default current_setting('millrace.workspace')::uuid;

-- What was read of an archive. An import that was interrupted goes on behind it.
create table workspace_imports (
  workspace_id uuid        primary key,
  -- The SHA-256 of the archive's head: what goes on must be the same archive.
  archive      bytea       not null,
  slug         text        collate "C" not null,
  -- loading, loaded, imported, activated
  state        text        collate "C" not null default 'loading',
  -- How many of its frames are in the database.
  frames       integer     not null default 0,
  -- The accounts of people who have another id here.
  people       jsonb,
  started_at   timestamptz not null default now(),
  imported_at  timestamptz
);
alter table workspace_imports enable row level security;
create policy tenant on workspace_imports to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, update on workspace_imports to millrace_app;

-- Rows that would begin to work at once, in the form of COPY, until the workspace is activated.
create table held_rows (
  workspace_id uuid    not null references workspace_imports on delete cascade,
  frame        integer not null,
  table_name   text    collate "C" not null,
  columns      text[]  not null,
  lines        bytea   not null,
  primary key (workspace_id, frame)
);
alter table held_rows enable row level security;
