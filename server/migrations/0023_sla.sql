-- Service levels. A policy is a definition of the whole workspace; its clocks are in the environments of
-- the tickets.
create table sla_policies (
  id              text             collate "C" primary key,
  workspace_id    uuid             not null default current_setting('millrace.workspace')::uuid,
  name            text             not null,
  entity          text             collate "C" not null
    constraint sla_policies_entity check (entity in ('incident', 'change', 'problem', 'request')),
  conditions      jsonb            not null,
  targets         jsonb            not null,
  calendar        jsonb,
  pause_on        text[]           not null,
  warn_at_percent double precision not null,
  active          boolean          not null,
  revision        integer          not null default 1,
  created_at      timestamptz      not null,
  updated_at      timestamptz      not null
);
create index sla_policies_workspace on sla_policies (workspace_id, id);

-- What a policy makes of one ticket, up to the event at (last_epoch, last_xid, last_seq). All of it but
-- warned_at and breached_at follows from the log; those say that the warning and the breach were told.
create table sla_clocks (
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  environment     environment not null default current_setting('millrace.environment')::environment,
  ticket_id       text        collate "C" not null,
  policy_id       text        collate "C" not null,
  metric          text        collate "C" not null,
  no              bigint      not null generated always as identity,
  kind            text        collate "C" not null,
  policy_name     text        not null,
  policy_revision integer     not null,
  state           text        collate "C" not null
    constraint sla_clocks_state
      check (state in ('running', 'paused', 'met', 'breached', 'cancelled')),
  target_ms       bigint      not null,
  fold            jsonb       not null,
  timeline        jsonb       not null,
  -- What people are told of the ticket.
  ticket          jsonb       not null,
  due_at          timestamptz,
  warn_at         timestamptz,
  -- When somebody has to look at it: at warn_at or due_at, as long as that was not told.
  next_at         timestamptz,
  warned_at       timestamptz,
  breached_at     timestamptz,
  stopped_at      timestamptz,
  last_epoch      smallint    not null,
  last_xid        xid8        not null,
  last_seq        bigint      not null,
  updated_at      timestamptz not null,
  primary key (workspace_id, environment, ticket_id, policy_id, metric)
);
create index sla_clocks_next on sla_clocks (next_at) where next_at is not null;
create index sla_clocks_due on sla_clocks (workspace_id, environment, next_at)
  where next_at is not null;
create index sla_clocks_board on sla_clocks (workspace_id, environment, state, due_at, no);
create index sla_clocks_all on sla_clocks (workspace_id, environment, due_at, no);
create index sla_clocks_going on sla_clocks (workspace_id, environment, policy_id, no)
  where stopped_at is null and state <> 'cancelled';

alter table sla_policies enable row level security;
alter table sla_clocks enable row level security;

create policy tenant on sla_policies to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on sla_clocks to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on sla_clocks for select to millrace_system using (true);

grant select, insert, update, delete on sla_policies to millrace_app;
grant select, insert, update on sla_clocks to millrace_app;
grant select (workspace_id, environment, next_at) on sla_clocks to millrace_system;
