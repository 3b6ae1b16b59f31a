-- The step of a run that made a file: what its earlier attempts left goes when the next one keeps its own.
alter table files add column step text collate "C";
