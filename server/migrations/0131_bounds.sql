-- Requests that are kept: bounded by their bytes too, and gone with their workflow.
alter table kept_requests add column bytes integer;
update kept_requests set bytes = octet_length(input::text);
alter table kept_requests alter column bytes set not null;
delete from kept_requests k where not exists (select from workflows w where w.id = k.workflow_id);
alter table kept_requests add foreign key (workflow_id) references workflows on delete cascade;
create index kept_requests_workflow on kept_requests (workflow_id);
drop index kept_requests_trigger;
create index kept_requests_trigger
  on kept_requests (workspace_id, environment, workflow_id, trigger_id, id) include (bytes);
