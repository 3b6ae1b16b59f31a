-- The runs of one cause are counted for each workflow and in a day.
drop index runs_chained;
create index runs_chained on runs (correlation_id, workflow_id, created_at) where depth >= 3;
