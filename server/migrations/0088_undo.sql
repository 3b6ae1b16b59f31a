-- The events of one request that had no cause are in no index of correlations, and the id of a correlation tells when it
-- began: they are found among those of that time. A summary of each few pages costs writers next to nothing.
create index events_time on events using brin (created_at) with (pages_per_range = 16, autosummarize = on);
