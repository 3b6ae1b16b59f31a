-- The runs of one cause are counted from the third link of its chain on; runs that people and their events start are in no index more.
create index runs_chained on runs (correlation_id) where depth >= 3;

-- Memories of agents know the workflow that made them, which has so many at most, and are deleted when they were not used for a year.
alter table agent_memories add column workflow_id text collate "C";
create index agent_memories_workflow on agent_memories (workspace_id, environment, workflow_id, updated_at)
  where workflow_id is not null;
create index agent_memories_age on agent_memories (updated_at);
create policy everything on agent_memories to millrace_system using (true);
grant select, delete on agent_memories to millrace_system;

-- An activation makes up for what its triggers have missed, and not for the times that they have run for.
alter table backfills add column of_activation boolean not null default false;
create index runs_scheduled on runs (workflow_id, (trigger ->> 'scheduledFor')) where trigger_type = 'schedule';

-- A mailbox holds so many bytes at most: counted, since to add them up for each mail would take long.
alter table mailboxes add column mail_bytes bigint not null default 0;
update mailboxes b set mail_bytes = (select coalesce(sum(m.size), 0) from mails m where m.mailbox_id = b.id);

-- The job that forgets uploads which nobody goes on with could never delete one.
grant delete on archive_imports to millrace_system;
