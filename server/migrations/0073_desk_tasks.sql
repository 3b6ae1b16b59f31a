-- The tasks that one waits for, and what was noted when it ended.
alter table ticket_tasks add column depends_on text[] collate "C" not null default '{}';
alter table ticket_tasks add column notes text;
