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

-- Counts the topics of a whole batch of events, of all workspaces at once, which no role of the application
-- could. In the order in which retention locks the counts, so that the two never wait in a circle.
create function count_topics(
  workspaces uuid[], environments text[], topics text[], numbers bigint[], times timestamptz[]
) returns void
language sql security definer set search_path = pg_catalog, public as $$
  insert into public.topic_counts as c (workspace_id, environment, topic, events, last_event_at)
  select n.workspace, n.environment::public.environment, n.topic, n.number, n.at
    from unnest(workspaces, environments, topics, numbers, times)
      as n (workspace, environment, topic, number, at)
   order by n.workspace, n.environment collate "C", n.topic collate "C"
  on conflict (workspace_id, environment, topic) do update
     set events = c.events + excluded.events,
         last_event_at = greatest(c.last_event_at, excluded.last_event_at)
$$;
revoke all on function count_topics(uuid[], text[], text[], bigint[], timestamptz[]) from public;
grant execute on function count_topics(uuid[], text[], text[], bigint[], timestamptz[]) to millrace_app;

-- An act of an account, such as a login, is one event, in the log of the oldest workspace that it belongs to,
-- and not one in each: whoever knows an address could otherwise flood the log by wrong passwords. The others see
-- it in their audit log, which looks for it here by account. Only those in which a webhook or a workflow may
-- hear such events get an event of their own.
create index events_account on events
  ((coalesce(data ->> 'userId', resource_id) collate "C"), epoch, xid, seq)
  where topic = 'audit' and (type like 'audit.auth.%' or type like 'audit.mfa.%');

-- Who has left is still in the audit log of the time before.
create table former_members (
  workspace_id uuid        not null,
  user_id      text        collate "C" not null,
  since        timestamptz not null,
  -- The transaction in which they left: clocks of processes differ.
  until_epoch  smallint    not null,
  until_xid    xid8        not null
);
create index former_members_workspace on former_members (workspace_id, user_id);
alter table former_members enable row level security;

create function keep_former_member() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.former_members
  select old.workspace_id, old.user_id, old.created_at, i.epoch, pg_current_xact_id() from public.installation i;
  return null;
end $$;
revoke execute on function keep_former_member() from public;
create trigger keep_former_member after delete on memberships
  for each row execute function keep_former_member();

alter table workspaces add column hears_audit boolean not null default false;
create function mark_audit_listener() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.workspaces set hears_audit = true where key = new.workspace_id and not hears_audit;
  return null;
end $$;
revoke execute on function mark_audit_listener() from public;
create trigger mark_audit_listener after insert or update of hears_audit on webhooks
  for each row when (new.hears_audit) execute function mark_audit_listener();
create trigger mark_audit_listener after insert or update of topic on workflow_deployments
  for each row when (new.topic in ('audit', 'platform.events')) execute function mark_audit_listener();
create trigger mark_audit_listener after insert on run_waits
  for each row when (new.topic in ('audit', 'platform.events')) execute function mark_audit_listener();
update workspaces w set hears_audit = true
 where exists (select from webhooks h where h.workspace_id = w.key and h.hears_audit)
    or exists (select from workflow_deployments d
                where d.workspace_id = w.key and d.topic in ('audit', 'platform.events'))
    or exists (select from run_waits r
                where r.workspace_id = w.key and r.topic in ('audit', 'platform.events'));

-- The acts of those who are or were members of the session's workspace, of that time, as far as they are in the
-- logs of other workspaces alone. Of several events of one act it is the first. One that concerns another
-- workspace only, since its own identity provider let somebody in, has that workspace's id.
create function account_events(
  before_epoch smallint, before_xid xid8, before_seq bigint, of_type text, of_actor text,
  of_resource_type text, of_resource text, not_before timestamptz, not_after timestamptz, events_max integer
) returns setof events
language sql stable security definer set search_path = pg_catalog, public as $$
  with here as (
    select current_setting('millrace.workspace')::uuid as workspace,
           current_setting('millrace.environment')::public.environment as environment
  ), people as (
    select m.user_id, m.created_at as since, null::smallint as until_epoch, null::xid8 as until_xid
      from public.memberships m, here where m.workspace_id = here.workspace
    union all
    select f.user_id, f.since, f.until_epoch, f.until_xid
      from public.former_members f, here where f.workspace_id = here.workspace
  )
  select e.*
    from here, people p
    join public.users u on u.id = p.user_id
    cross join lateral (values (u.id), (u.email)) as account (name)
    cross join lateral (
      select e.* from public.events e
       where e.topic = 'audit' and (e.type like 'audit.auth.%' or e.type like 'audit.mfa.%')
         and coalesce(e.data ->> 'userId', e.resource_id) collate "C" = account.name collate "C"
         and (before_epoch is null or (e.epoch, e.xid, e.seq) < (before_epoch, before_xid, before_seq))
         and e.created_at >= p.since
         and (p.until_epoch is null or (e.epoch, e.xid) < (p.until_epoch, p.until_xid))
         and e.workspace_id <> here.workspace and e.environment = here.environment
         and not e.data ? 'workspaceId'
         and (of_type is null or e.type ~ of_type)
         and (of_actor is null or e.actor_id = of_actor)
         and (of_resource_type is null or e.resource_type = of_resource_type)
         and (of_resource is null or e.resource_id = of_resource)
         and (not_before is null or e.created_at >= not_before)
         and (not_after is null or e.created_at < not_after)
         and not exists (
           select from public.events o
            where o.workspace_id = here.workspace and o.environment = here.environment
              and o.resource_id = e.resource_id and o.type = e.type and o.epoch = e.epoch
              and coalesce(o.tx, o.xid) = coalesce(e.tx, e.xid))
         and not exists (
           select from public.events o
            where o.topic = 'audit' and (o.type like 'audit.auth.%' or o.type like 'audit.mfa.%')
              and coalesce(o.data ->> 'userId', o.resource_id) collate "C" = account.name collate "C"
              and (o.epoch, o.xid, o.seq) < (e.epoch, e.xid, e.seq)
              and (o.epoch, o.xid) >= (e.epoch, coalesce(e.tx, e.xid))
              and o.type = e.type and coalesce(o.tx, o.xid) = coalesce(e.tx, e.xid))
       order by e.epoch desc, e.xid desc, e.seq desc limit events_max) e
   order by e.epoch desc, e.xid desc, e.seq desc limit events_max
$$;
revoke all on function account_events(
  smallint, xid8, bigint, text, text, text, text, timestamptz, timestamptz, integer) from public;
grant execute on function account_events(
  smallint, xid8, bigint, text, text, text, text, timestamptz, timestamptz, integer) to millrace_app;
