-- The id of an event is its position in base32; here as `eventIdOf` makes it.
create function event_id(epoch smallint, xid xid8, seq bigint) returns text
language sql immutable parallel safe set search_path = pg_catalog as $$
  select 'evt_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
           ((part.number >> (5 * place)) & 31)::integer + 1, 1), '' order by part.n, place desc)
    from (values (1, epoch::bigint, 2), (2, xid::text::bigint, 10), (3, seq, 10)) as part (n, number, characters),
         generate_series(0, part.characters - 1) as place
$$;

-- The last event that this transaction appended in its partition: the cause of a job that was enqueued beside it.
create function last_event_id() returns text
language sql stable set search_path = pg_catalog, public as $$
  select public.event_id(e.epoch, e.xid, e.seq) from public.events e
   where e.epoch = current_setting('millrace.epoch')::smallint and e.xid >= pg_current_xact_id_if_assigned()
     and e.tx = pg_current_xact_id_if_assigned()
   order by e.epoch desc, e.xid desc, e.seq desc limit 1
$$;
revoke execute on function event_id(smallint, xid8, bigint), last_event_id() from public;
grant execute on function event_id(smallint, xid8, bigint), last_event_id() to millrace_app, millrace_system;

-- The cause of an execution, as of a run: the event, and the run and step or the execution that asked for it.
alter table artifact_executions add column correlation_id text collate "C", add column causation_id text collate "C",
  add column made_by text collate "C", add column step_id text collate "C";

-- Names by their words, for the search over everything: as they stand, and taken apart where an address, a path or a
-- name in camel case joins several.
create function name_words(name text) returns tsvector
language sql immutable parallel safe set search_path = pg_catalog as $$
  select to_tsvector('pg_catalog.simple', left(name, 10000) || ' ' || translate(
    regexp_replace(left(name, 10000), '([[:lower:][:digit:]])([[:upper:]])', '\1 \2', 'g'), '@._-/:', '      '))
$$;
create index workflows_words on workflows using gin
  (name_words(name || ' ' || coalesce(definition ->> 'tags', '') || ' ' || coalesce(definition ->> 'description', '')))
  where archived_at is null;
create index artifacts_words on artifacts using gin (name_words(module_key || ' ' || name || ' ' || description));
create index contacts_words on contacts using gin (name_words(name || ' ' || address));
create index users_words on users using gin (name_words(name || ' ' || email));

-- Row-level security lets `@@` into no index, see `search_articles`: this asks as the owner, and for itself of nothing
-- but the workspace that the session is in. It is planned for the words: rare ones by the index, frequent ones by
-- walking back from the newest.
create function search_names(kind text, wanted tsquery, hits_max integer) returns table (id text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  statement text := case kind
    when 'workflow' then 'select t.id from public.workflows t where t.workspace_id = $2 and t.archived_at is null
      and name_words(t.name || '' '' || coalesce(t.definition ->> ''tags'', '''')
        || '' '' || coalesce(t.definition ->> ''description'', '''')) @@ $1'
    when 'artifact' then 'select t.id from public.artifacts t where t.workspace_id = $2
      and name_words(t.module_key || '' '' || t.name || '' '' || t.description) @@ $1'
    when 'contact' then 'select t.id from public.contacts t where t.workspace_id = $2
      and name_words(t.name || '' '' || t.address) @@ $1'
    when 'person' then 'select t.id from public.users t join public.memberships m on m.user_id = t.id
      where m.workspace_id = $2 and m.status = ''active'' and name_words(t.name || '' '' || t.email) @@ $1'
  end;
begin
  if statement is null then return; end if;
  return query execute statement || ' order by t.id desc limit least($3, 200)'
    using wanted, current_setting('millrace.workspace')::uuid, hits_max;
end
$$;
revoke all on function search_names(text, tsquery, integer) from public;
grant execute on function search_names(text, tsquery, integer) to millrace_app;

-- Finds the first position in the log of the session's partition whose event is of a time or later, by bisection along
-- `events_order`: positions are nearly in the order of time, and an index by time would cost every event an entry.
create function log_position_at(at timestamptz) returns table (epoch smallint, xid xid8)
language plpgsql stable set search_path = pg_catalog, public as $$
declare
  here  uuid := current_setting('millrace.workspace')::uuid;
  place public.environment := current_setting('millrace.environment')::public.environment;
  era   smallint;
  low   bigint;
  high  bigint;
  mid   bigint;
  found timestamptz;
begin
  -- Of the epochs, the last one that began before that time.
  for era in select i.epoch - n from public.installation i, generate_series(0, i.epoch) n loop
    select e.created_at, e.xid::text::bigint into found, low from public.events e
     where e.workspace_id = here and e.environment = place and e.epoch = era
     order by e.epoch, e.xid, e.seq limit 1;
    exit when found < at;
  end loop;
  if found is null or found >= at then return; end if;
  select e.xid::text::bigint + 1 into high from public.events e
   where e.workspace_id = here and e.environment = place and e.epoch = era
   order by e.epoch desc, e.xid desc, e.seq desc limit 1;
  -- Before `low` all is earlier; at `high` nothing is.
  while low + 1 < high loop
    mid := (low + high) / 2;
    select e.created_at into found from public.events e
     where e.workspace_id = here and e.environment = place and (e.epoch, e.xid) >= (era, mid::text::xid8) and e.epoch = era
     order by e.epoch, e.xid, e.seq limit 1;
    if found < at then low := mid; else high := mid; end if;
  end loop;
  return query select era, high::text::xid8;
end
$$;
revoke all on function log_position_at(timestamptz) from public;
grant execute on function log_position_at(timestamptz) to millrace_app;

-- Dead letters are read, retried and skipped by those who run a workspace.
alter table parked_events enable row level security;
create policy new on parked_events for insert to millrace_app with check (true);
create policy tenant on parked_events to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on parked_events to millrace_system using (true);
grant select, update, delete on parked_events to millrace_app;
create index parked_events_place on parked_events (workspace_id, environment, epoch, xid, seq);
