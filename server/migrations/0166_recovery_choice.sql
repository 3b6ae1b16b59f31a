-- What a recovery is limited to: null is everything, as before.
alter table webhook_recoveries
  add column ends_at timestamptz,
  add column choice  text collate "C" check (choice in ('failed', 'missing'));
