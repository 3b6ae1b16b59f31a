-- The epoch of the log belongs to the connection. All connections break when a standby takes over or a cluster is
-- set back, so none spans two histories: whoever connects first after that begins the new epoch, before anything is
-- written. Every connection calls this before its first statement, and behind a pooler every transaction does.
create function present_epoch() returns smallint
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
  -- No reader would find an event of an older epoch that is written from now on. So none can be.
  execute format(
    'alter table public.events drop constraint if exists events_epoch,
       add constraint events_epoch check (epoch >= %s) not valid', number);
  return number;
end $$;
revoke execute on function present_epoch() from public;
grant execute on function present_epoch() to millrace_app, millrace_system;

alter table events alter column epoch set default current_setting('millrace.epoch')::smallint;
alter table webhooks alter column since_epoch set default current_setting('millrace.epoch')::smallint;
alter table run_waits alter column since_epoch set default current_setting('millrace.epoch')::smallint;
