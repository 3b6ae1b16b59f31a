-- The SHA-256 of the frames of an archive that are in the database: what goes on must be those very bytes.
alter table workspace_imports add column read_sha256 bytea;
comment on column workspace_imports.people is 'The accounts that rows of the archive may refer to';

-- As before, but within the workspace: an import puts rows in as the owner, whom no policy holds back.
create or replace function mirror_clocks() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  with due as (
    select o.workspace_id, o.ticket_id, c.due_at, c.metric,
           case when c.state is null then null
                when c.due_at is null then 'paused'
                when c.state = 'breached' then 'breached'
                else 'running' end as state
      from (select distinct workspace_id, environment, ticket_id from written) o
      left join lateral (
        select s.due_at, s.metric, s.state from public.sla_clocks s
         where s.workspace_id = o.workspace_id and s.environment = o.environment
           and s.ticket_id = o.ticket_id and s.stopped_at is null and s.state <> 'cancelled'
         order by s.due_at nulls last, s.no limit 1) c on true)
  update public.tickets t
     set due_at = due.due_at, due_state = due.state, due_metric = due.metric
    from due
   where t.id = due.ticket_id and t.workspace_id = due.workspace_id
     and (t.due_at, t.due_state, t.due_metric) is distinct from (due.due_at, due.state, due.metric);
  return null;
end
$$;

create or replace function mirror_comment() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update public.tickets t
     set comment_by = new.created_by, comment_at = new.created_at,
         comment_by_caller = new.created_by = coalesce(t.caller_id, t.created_by)
   where t.id = new.ticket_id and t.workspace_id = new.workspace_id
     and (t.comment_at is null or t.comment_at <= new.created_at);
  return null;
end
$$;
