-- A transaction has its id before it waits for somebody else's change of the same thing, so that ids alone
-- would show the later change first. An event's place is therefore that of the last transaction which was over when it
-- was appended, or of its own if that is later: whatever it waited for stands before it. Below
-- `pg_snapshot_xmin` there still appears nothing, since no place lies before its own transaction. Where
-- places are the same, `seq` has the order.
alter table events alter column xid set default
  greatest(pg_current_xact_id(), (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);

-- Who begins to hear must tell the events apart that stand at the end of their snapshot: those behind this came after.
grant select on sequence events_seq_seq to millrace_app, millrace_system;
alter table webhooks add column since_seq bigint not null
  default coalesce(pg_sequence_last_value('events_seq_seq'), 0);
alter table workflow_deployments add column since_seq bigint not null
  default coalesce(pg_sequence_last_value('events_seq_seq'), 0);
alter table run_waits add column since_seq bigint not null
  default coalesce(pg_sequence_last_value('events_seq_seq'), 0);
