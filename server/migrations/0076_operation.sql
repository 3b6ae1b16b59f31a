-- While it is set, nobody but operators changes anything: { message, since, by }.
alter table installation add column maintenance jsonb;
grant update (maintenance) on installation to millrace_app;

-- Those who run the installation see what was applied to it, and who does its work.
grant select on migrations to millrace_system;
grant select on file_usage to millrace_system;

-- Backups that were made by the product itself, of its embedded database, into its data folder.
create table backups (
  id              text        collate "C" primary key,
  status          text        collate "C" not null check (status in ('running', 'made', 'failed', 'deleted')),
  file            text        not null,
  bytes           bigint,
  complete_up_to  timestamptz,
  error           text,
  requested_by    text        not null,
  created_at      timestamptz not null,
  finished_at     timestamptz,
  -- running while it is tried; whole, or damaged.
  verification    text        collate "C" check (verification in ('running', 'whole', 'damaged')),
  verified_at     timestamptz,
  verified_detail text
);
create index backups_newest on backups (created_at desc);
grant select, insert, update, delete on backups to millrace_app;
grant select on backups to millrace_system;
