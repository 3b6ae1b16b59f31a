-- The fields of a dashboard's filter bar, and the period of its tiles where the reader chooses no other.
alter table dashboards
  add column filters jsonb not null default '[]',
  add column period  jsonb;

-- A number that is looked at again and again, and when it needs somebody.
create table alerts (
  id            text             collate "C" primary key,
  workspace_id  uuid             not null default current_setting('millrace.workspace')::uuid,
  environment   environment      not null default current_setting('millrace.environment')::environment,
  name          text             not null,
  description   text             not null,
  report        jsonb            not null,
  rule          jsonb            not null,
  every_minutes integer          not null,
  notify        text[]           collate "C" not null,
  enabled       boolean          not null,
  -- Whose rights it has: of whoever saved it last, and no more than their credential had.
  run_as        text             collate "C" not null,
  permissions   text[],
  state         text             collate "C" not null default 'unknown'
    constraint alerts_state check (state in ('unknown', 'ok', 'firing')),
  -- How many checks in a row found it against the rule.
  streak        integer          not null default 0,
  value         double precision,
  reason        text,
  since         timestamptz,
  checked_at    timestamptz,
  revision      integer          not null default 1,
  created_by    text             collate "C" not null,
  created_at    timestamptz      not null,
  updated_at    timestamptz      not null,
  constraint alerts_name unique (workspace_id, environment, name)
);
create index alerts_list on alerts (workspace_id, environment, id);

-- When an alert fired and was resolved.
create table alert_changes (
  workspace_id uuid             not null default current_setting('millrace.workspace')::uuid,
  environment  environment      not null default current_setting('millrace.environment')::environment,
  alert_id     text             collate "C" not null references alerts on delete cascade,
  at           timestamptz      not null,
  state        text             collate "C" not null,
  value        double precision,
  reason       text             not null,
  primary key (alert_id, at)
);

alter table alerts enable row level security;
alter table alert_changes enable row level security;
create policy tenant on alerts to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on alert_changes to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on alerts, alert_changes to millrace_app;
