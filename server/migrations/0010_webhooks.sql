-- A webhook hears what is committed after `since`, a snapshot: an event is before it when its
-- transaction was visible then, whatever the order of ids.
--
-- While it is paused, and afterwards while it catches up, `place` is where it stopped hearing. The
-- reader that hands out events passes over it as long as there is a place; what it missed is made up
-- from the log, and then the place is cleared in a transaction that holds the reader still.
create table webhooks (
  id                        text        collate "C" primary key,
  workspace_id              uuid        not null default current_setting('millrace.workspace')::uuid,
  name                      text        not null,
  url                       text        not null,
  events                    text[]      not null,
  environments              text[],
  filter                    jsonb,
  -- Whether whoever said last what it hears, and where that goes, may read the audit log.
  hears_audit               boolean     not null default false,
  headers                   jsonb       not null default '{}',
  -- Signing keys, sealed. The previous one signs too until its time is over.
  secret                    bytea,
  previous_secret           bytea,
  previous_secret_until     timestamptz,
  format                    text        not null,
  retries                   smallint    not null,
  retry_strategy            text        not null,
  retry_max_delay_ms        integer,
  timeout_ms                integer     not null,
  max_per_second            float8,
  status                    text        collate "C" not null,
  -- by hand, after failures, or because the endpoint is gone
  paused_because            text,
  paused_at                 timestamptz,
  since_epoch               smallint    not null,
  since                     pg_snapshot not null default pg_current_snapshot(),
  place_epoch               smallint,
  place_xid                 xid8,
  place_seq                 bigint,
  consecutive_failures      integer     not null default 0,
  -- Which of the nodes' lanes sends for it.
  lane                      smallint    not null,
  revision                  integer     not null default 1,
  created_by                text        collate "C" not null,
  created_at                timestamptz not null,
  updated_at                timestamptz not null,
  check ((status = 'paused') = (paused_at is not null)),
  check (status = 'active' or place_xid is not null)
);
create index webhooks_workspace on webhooks (workspace_id, id);

-- One event for one webhook. The id of a first delivery is made of the event's place and the
-- webhook's id, so that handing out an event twice makes one delivery; ids sort as events do.
-- Bodies are not kept: they follow from the event, which is kept for longer.
create table deliveries (
  workspace_id         uuid        not null default current_setting('millrace.workspace')::uuid,
  environment          environment not null default current_setting('millrace.environment')::environment,
  webhook_id           text        collate "C" not null,
  id                   text        collate "C" not null,
  event_epoch          smallint    not null,
  event_xid            xid8        not null,
  event_seq            bigint      not null,
  event_type           text        collate "C" not null,
  resource_id          text        collate "C" not null,
  replay_of            text        collate "C",
  url                  text        not null,
  format               text        not null,
  status               text        collate "C" not null,
  -- When to try next; none for what is over.
  due_at               timestamptz default clock_timestamp(),
  attempts             smallint    not null default 0,
  -- Of these attempts, those that no longer count: to recover gives a delivery its retries anew.
  attempts_before      smallint    not null default 0,
  last_attempt_at      timestamptz,
  last_response_status smallint,
  last_response_body   text,
  last_duration_ms     integer,
  last_error           text,
  earlier_attempts     jsonb,
  created_at           timestamptz not null,
  primary key (webhook_id, id)
);
create index deliveries_open on deliveries (webhook_id, due_at, id) where due_at is not null;
create index deliveries_failed on deliveries (webhook_id, id) where status = 'failed';
create index deliveries_age on deliveries using brin (created_at);

alter table webhooks enable row level security;
alter table deliveries enable row level security;
create policy tenant on webhooks to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on deliveries to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on webhooks to millrace_system using (true);
create policy everything on deliveries to millrace_system using (true);
grant select, insert, update, delete on webhooks, deliveries to millrace_app;
grant select, update on webhooks to millrace_system;
grant select, update, delete on deliveries to millrace_system;
