-- Business calendars that policies share; a policy holds a copy of its hours, so that its revision tells of
-- each change.
create table business_calendars (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  timezone     text        not null,
  hours        jsonb       not null,
  holidays     text[]      not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null
);
create index business_calendars_workspace on business_calendars (workspace_id, id);
alter table business_calendars enable row level security;
create policy tenant on business_calendars to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on business_calendars to millrace_app;

alter table sla_policies add column calendar_id text collate "C" references business_calendars (id);
create index sla_policies_calendar on sla_policies (calendar_id) where calendar_id is not null;

-- A policy may have several targets of one metric: a clock is known by its target's name. `warnings` counts
-- those that were announced.
alter table sla_clocks
  add column name text collate "C",
  add column warnings smallint not null default 0;
update sla_clocks set name = metric, warnings = case when warned_at is null then 0 else 1 end;
alter table sla_clocks
  alter column name set not null,
  drop constraint sla_clocks_pkey,
  add primary key (workspace_id, environment, ticket_id, policy_id, name);
