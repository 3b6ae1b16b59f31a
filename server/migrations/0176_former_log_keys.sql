-- A workspace that moves to another installation signs its log with a new key. The public keys with which earlier
-- installations signed stay, each with the number of its last checkpoint. At most one row has a private key, sealed.
alter table log_signing_keys drop constraint log_signing_keys_pkey;
alter table log_signing_keys
  alter column sealed drop not null,
  add column last_checkpoint integer,
  add primary key (workspace_id, public_key),
  add constraint log_signing_keys_former check ((sealed is null) = (last_checkpoint is not null));
create unique index log_signing_keys_present on log_signing_keys (workspace_id) where sealed is not null;
