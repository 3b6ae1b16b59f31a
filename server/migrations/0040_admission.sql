-- Queued runs in the order in which they are admitted, by key.
create index runs_queue on runs (workflow_id, concurrency_key, id) where status = 'queued';
