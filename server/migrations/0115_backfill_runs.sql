-- Runs of backfills that are over were kept for ever, and nobody asks for them.
delete from backfill_runs b using backfills f where f.id = b.backfill_id and f.state <> 'running';
