-- What a chain of causes holds is found by its correlation. An event that nothing caused is found by
-- its own id or its transaction, so the many that begin and end a chain cost no entry here.
create index events_caused on events (workspace_id, environment, correlation_id)
  where causation_id is not null;

-- Events that a reader could not handle. The reader has passed them; what it should have done is left
-- to do once the reason is mended.
create table parked_events (
  reader       text        collate "C" not null,
  epoch        smallint    not null,
  xid          xid8        not null,
  seq          bigint      not null,
  workspace_id uuid        not null,
  environment  environment not null,
  error        text        not null,
  parked_at    timestamptz not null,
  primary key (reader, epoch, xid, seq)
);
grant insert on parked_events to millrace_app;
grant select on parked_events to millrace_system;

-- How many events each topic holds, up to the cursor of the reader that counts them; whoever wants
-- the exact number adds what comes after that cursor.
create table topic_counts (
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  environment   environment not null default current_setting('millrace.environment')::environment,
  topic         text        collate "C" not null,
  events        bigint      not null,
  last_event_at timestamptz not null,
  primary key (workspace_id, environment, topic)
);
alter table topic_counts enable row level security;
create policy tenant on topic_counts to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update on topic_counts to millrace_app;

-- The one way to remove events: the oldest, below every reader's cursor, a bounded number at a time.
create function prune_events(before timestamptz, events_max integer) returns integer
language sql security definer set search_path = pg_catalog, public as $$
  with passed as (
    select r.epoch, r.xid, r.seq from public.readers r order by r.epoch, r.xid, r.seq limit 1
  ), old as (
    select e.epoch, e.xid, e.seq, e.created_at
      from public.events e, passed p
     where (e.epoch, e.xid, e.seq) <= (p.epoch, p.xid, p.seq)
     order by e.epoch, e.xid, e.seq limit events_max
  ), gone as (
    delete from public.events e using old o
     where (e.epoch, e.xid, e.seq) = (o.epoch, o.xid, o.seq) and o.created_at < before
    returning e.workspace_id, e.environment, e.topic
  ), counted as (
    update public.topic_counts t set events = t.events - g.n
      from (select workspace_id, environment, topic, count(*) as n from gone
             group by workspace_id, environment, topic) g
     where (t.workspace_id, t.environment, t.topic) = (g.workspace_id, g.environment, g.topic)
  )
  select count(*)::integer from gone
$$;
revoke all on function prune_events(timestamptz, integer) from public;
grant execute on function prune_events(timestamptz, integer) to millrace_system;

-- Work that must be done by one node at a time is divided into lanes. A node holds a lane for as long
-- as it renews it; the clock is the database's, which all nodes share.
create table lane_nodes (
  name    text        collate "C" not null,
  node    text        collate "C" not null,
  seen_at timestamptz not null,
  primary key (name, node)
);
create table lanes (
  name       text        collate "C" not null,
  lane       smallint    not null,
  node       text        collate "C" not null,
  held_until timestamptz not null,
  primary key (name, lane)
);
grant select, insert, update, delete on lane_nodes, lanes to millrace_system;
