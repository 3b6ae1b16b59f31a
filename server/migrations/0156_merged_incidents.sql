-- An incident that was merged says so by itself: its state alone, cancelled, does not.
alter table incidents add column merged_into_id text collate "C";
update incidents i set merged_into_id = m.target_id from ticket_merges m where m.source_id = i.id;
