-- A workflow has any number of triggers. Those of its deployment in one environment are here, for whoever looks for
-- what an event or a request starts. What came before `since` is past, as for a webhook.
create table workflow_triggers (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  workflow_id  text        collate "C" not null,
  environment  environment not null,
  trigger_id   text        collate "C" not null,
  type         text        collate "C" not null,
  topic        text        collate "C",
  since_epoch  smallint    not null,
  since        pg_snapshot not null default pg_current_snapshot(),
  primary key (workflow_id, environment, trigger_id),
  foreign key (workflow_id, environment) references workflow_deployments on delete cascade
);
insert into workflow_triggers (workspace_id, workflow_id, environment, trigger_id, type, topic, since_epoch, since)
select workspace_id, workflow_id, environment, 'trigger', trigger_type, topic, since_epoch, since
  from workflow_deployments;
create index workflow_triggers_listening on workflow_triggers (workspace_id, environment, topic) where topic is not null;

drop trigger mark_audit_listener on workflow_deployments;
create trigger mark_audit_listener after insert or update of topic on workflow_triggers
  for each row when (new.topic in ('audit', 'platform.events')) execute function mark_audit_listener();
alter table workflow_deployments
  drop column trigger_type, drop column topic, drop column since_epoch, drop column since;

alter table workflow_triggers enable row level security;
create policy tenant on workflow_triggers to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on workflow_triggers for select to millrace_system using (true);
grant select, insert, update, delete on workflow_triggers to millrace_app;
grant select on workflow_triggers to millrace_system;

-- Which of the workflow's triggers began the run; null for the only one, or where none did.
alter table runs add column trigger_id text collate "C";
create index runs_by_trigger on runs (workflow_id, trigger_id, id) where trigger_id is not null and test is null;
