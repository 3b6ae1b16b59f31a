-- As before, but each probe goes straight to its place. With `epoch = era` beside it, PostgreSQL takes that for the beginning
-- of its scan and reads the index from there, so that a log of ten million events took minutes; and it is needless, since
-- the last event of the epoch stands at `high` or before.
--
-- Finds the first position in the log of the session's partition whose event is of a time or later, by bisection along
-- `events_order`: positions are nearly in the order of time, and an index by time would cost every event an entry.
create or replace function log_position_at(at timestamptz) returns table (epoch smallint, xid xid8)
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
     where e.workspace_id = here and e.environment = place and (e.epoch, e.xid) >= (era, mid::text::xid8)
     order by e.epoch, e.xid, e.seq limit 1;
    if found < at then low := mid; else high := mid; end if;
  end loop;
  return query select era, high::text::xid8;
end
$$;
