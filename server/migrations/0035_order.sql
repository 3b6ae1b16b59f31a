-- A transaction has its id before it waits for somebody else's change of the same thing, so that ids alone
-- would show the later change first. In an event's place `xid` is therefore the last transaction that was over
-- when it was appended, or its own if that is later: whatever it waited for stands before it. Below
-- `pg_snapshot_xmin` there still appears nothing, since no place lies before its own transaction. Where
-- places are the same, `seq` has the order. `tx` is its own; null where that is `xid`.
alter table events add column tx xid8;
alter table events alter column tx set default pg_current_xact_id();
alter table events alter column xid set default
  greatest(pg_current_xact_id(), (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);

-- A webhook that was told to go on from an event hears nothing before it, whichever transactions wrote that.
alter table webhooks add column since_event text collate "C";
