-- A deactivated member has left, too: what they do elsewhere is not for this workspace, until they are back.
alter table memberships add column active_since timestamptz;

create function note_active_since() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.active_since := new.updated_at;
  return new;
end $$;
revoke execute on function note_active_since() from public;
create trigger note_active_since before update of status on memberships
  for each row when (new.status = 'active' and old.status <> 'active') execute function note_active_since();

create or replace function keep_former_member() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.former_members
  select old.workspace_id, old.user_id, coalesce(old.active_since, old.created_at), i.epoch, pg_current_xact_id()
    from public.installation i;
  return null;
end $$;
drop trigger keep_former_member on memberships;
create trigger keep_former_member after delete on memberships
  for each row when (old.status = 'active') execute function keep_former_member();
create trigger keep_deactivated_member after update of status on memberships
  for each row when (old.status = 'active' and new.status <> 'active') execute function keep_former_member();

-- As before, but: of active members and former ones; by address only for accounts of people's own, since a
-- workspace's provider gives its accounts any address; and without what ended in one workspace alone, when its
-- provider let somebody in for the first time.
create or replace function account_events(
  before_epoch smallint, before_xid xid8, before_seq bigint, of_type text, of_actor text,
  of_resource_type text, of_resource text, not_before timestamptz, not_after timestamptz, events_max integer
) returns setof events
language sql stable security definer set search_path = pg_catalog, public as $$
  with here as (
    select current_setting('millrace.workspace')::uuid as workspace,
           current_setting('millrace.environment')::public.environment as environment
  ), people as (
    select m.user_id, coalesce(m.active_since, m.created_at) as since,
           null::smallint as until_epoch, null::xid8 as until_xid
      from public.memberships m, here where m.workspace_id = here.workspace and m.status = 'active'
    union all
    select f.user_id, f.since, f.until_epoch, f.until_xid
      from public.former_members f, here where f.workspace_id = here.workspace
  )
  select e.*
    from here, people p
    join public.users u on u.id = p.user_id
    cross join lateral (
      select u.id as name union all select u.email where u.managed_by is null) as account
    cross join lateral (
      select e.* from public.events e
       where e.topic = 'audit' and (e.type like 'audit.auth.%' or e.type like 'audit.mfa.%')
         and coalesce(e.data ->> 'userId', e.resource_id) collate "C" = account.name collate "C"
         and (before_epoch is null or (e.epoch, e.xid, e.seq) < (before_epoch, before_xid, before_seq))
         and e.created_at >= p.since
         and (p.until_epoch is null or (e.epoch, e.xid) < (p.until_epoch, p.until_xid))
         and e.workspace_id <> here.workspace and e.environment = here.environment
         and not e.data ? 'workspaceId'
         and not (e.type = 'audit.auth.credentials_revoked' and e.data ->> 'reason' = 'sso_login')
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
