-- The hash chain over the log of a workspace: every checkpoint is a Merkle tree over the events since the one before it,
-- signed with a key of the workspace that the database holds sealed only.
create table log_signing_keys (
  workspace_id uuid        primary key default current_setting('millrace.workspace')::uuid,
  public_key   bytea       not null,
  sealed       bytea       not null,
  created_at   timestamptz not null
);

create table log_checkpoints (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  number       integer     not null,
  -- What was signed, as text, since a byte that differs would break it; and what follows from it.
  statement    text        not null,
  hash         bytea       not null,
  signature    bytea       not null,
  -- The position of its last event.
  epoch        smallint    not null,
  xid          xid8        not null,
  seq          bigint      not null,
  -- The time of its first event: what retention may have deleted.
  first_at     timestamptz not null,
  -- The hashes of its events one after another, 32 bytes each; null once all events are gone.
  leaves       bytea,
  created_at   timestamptz not null,
  primary key (workspace_id, number)
);
create index log_checkpoints_position on log_checkpoints (workspace_id, epoch, xid, seq);
-- Hashes do not compress.
alter table log_checkpoints alter column leaves set storage external;

alter table log_signing_keys enable row level security;
alter table log_checkpoints enable row level security;
create policy tenant on log_signing_keys to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on log_checkpoints to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert on log_signing_keys, log_checkpoints to millrace_app;
grant update (leaves) on log_checkpoints to millrace_app;
