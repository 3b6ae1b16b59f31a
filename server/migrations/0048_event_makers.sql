-- The run or execution whose work an event is, and the step of the run: null for what people do.
alter table events add column made_by text collate "C", add column step_id text collate "C";
create index events_made on events (made_by, epoch, xid, seq) where made_by is not null;

-- A causal chain is read in the order of the log, so many events at a time: one of a hundred thousand costs no more
-- than a short one.
drop index events_caused;
create index events_caused on events (workspace_id, environment, correlation_id, epoch, xid, seq)
  where causation_id is not null;

-- The runs that a run's steps started, also when they are over.
drop index runs_children;
create index runs_children on runs (parent_run_id) where parent_run_id is not null;
