-- What takes things away when their time is over works as the system, in all workspaces alike.
grant delete on idempotency_keys, parked_events, jobs to millrace_system;
grant delete on sessions, known_addresses, password_resets, webauthn_challenges, api_tokens
   to millrace_system;

-- How it finds the oldest. A brin index tells apart what lies apart, and space that was freed is filled
-- with what is new: after one turn of a table every block range holds old and new, and each look
-- reads the whole table. Those of runs and deliveries stay for reports.
create index deliveries_over on deliveries (created_at) where due_at is null;
drop index notifications_age;
create index notifications_age on notifications (created_at);
create index api_tokens_expiry on api_tokens (expires_at) where expires_at is not null;
create index jobs_failed on jobs (failed_at) where failed_at is not null;
create index parked_events_age on parked_events (parked_at);

-- Now a reader that no version has any more does not keep the log for ever: of those that the caller
-- does not know, only such count as have moved of late, which are those of another version that runs
-- beside this one. And the counts are locked in the order in which their reader writes them, so that
-- the two wait for each other and never in a circle.
drop function prune_events(timestamptz, integer);
create function prune_events(before timestamptz, events_max integer, known text[], moved_since timestamptz)
returns integer
language sql security definer set search_path = pg_catalog, public as $$
  with passed as (
    select r.epoch, r.xid, r.seq from public.readers r
     where r.name = any (known) or r.updated_at >= moved_since
     order by r.epoch, r.xid, r.seq limit 1
  ), old as (
    select e.epoch, e.xid, e.seq, e.created_at
      from public.events e, passed p
     where (e.epoch, e.xid, e.seq) <= (p.epoch, p.xid, p.seq)
     order by e.epoch, e.xid, e.seq limit events_max
  ), gone as (
    delete from public.events e using old o
     where (e.epoch, e.xid, e.seq) = (o.epoch, o.xid, o.seq) and o.created_at < before
    returning e.workspace_id, e.environment, e.topic
  ), sums as (
    select workspace_id, environment, topic, count(*) as n from gone
     group by workspace_id, environment, topic
  ), held as (
    select t.workspace_id, t.environment, t.topic, s.n
      from public.topic_counts t join sums s using (workspace_id, environment, topic)
     order by t.workspace_id, t.environment::text, t.topic
       for update of t
  ), counted as (
    update public.topic_counts t set events = t.events - h.n from held h
     where (t.workspace_id, t.environment, t.topic) = (h.workspace_id, h.environment, h.topic)
  )
  select count(*)::integer from gone
$$;
revoke all on function prune_events(timestamptz, integer, text[], timestamptz) from public;
grant execute on function prune_events(timestamptz, integer, text[], timestamptz) to millrace_system;

-- Large tables that grow at one end and are pruned at the other. By default a fifth of a table is dead
-- before anybody tidies up, which of a log of a year are two months.
alter table events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
alter table deliveries set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
alter table runs set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
alter table run_journal set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
alter table artifact_executions set (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05);
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000);
alter table message_keys set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
alter table notifications set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
alter table sessions set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
alter table export_chunks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 100);

-- Small tables whose rows change many times a second. With room on their page the new version of a row
-- stays beside the old one, needs no new entry in an index, and is tidied up by whoever comes next.
-- To give space back at the end of a table needs a lock that would stop everybody: it is used again.
alter table readers set (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
alter table lanes set (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
alter table lane_nodes set (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
alter table topic_counts set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
alter table ticket_numbers set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
alter table scheduled_jobs set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
alter table jobs set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05, vacuum_truncate = false);
