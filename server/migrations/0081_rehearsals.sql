-- What past runs must show before another version is deployed there: which verdicts are allowed, and of how many runs.
alter table workflow_deployments add column rehearsal_gate jsonb;
