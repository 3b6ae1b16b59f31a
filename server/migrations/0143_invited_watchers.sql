-- Who watches a ticket by their own choice has no part in it. Those whom somebody else added, or who worked on it, have.
alter table ticket_watchers add column invited boolean not null default false;
update ticket_watchers w
   set invited = true
  from events e
 where e.type in ('incident.watcher_added', 'change.watcher_added', 'problem.watcher_added', 'request.watcher_added')
   and e.workspace_id = w.workspace_id and e.environment = w.environment and e.resource_id = w.ticket_id
   and e.data ->> 'userId' = w.user_id
   and e.actor_id <> w.user_id;
grant update (invited) on ticket_watchers to millrace_app;
