-- Calls of agents wait in `approvals`. Their approvals belong to no environment.
alter table approvals alter column environment drop not null;
alter table approval_people alter column environment drop not null;
drop index approvals_pending;
create unique index approvals_pending on approvals (workspace_id, environment, subject_kind, subject_id)
  nulls not distinct where state = 'pending';
drop index approval_people_person;
create index approval_people_person on approval_people (workspace_id, user_id, subject_kind, is_asked);
drop policy tenant on approvals;
drop policy tenant on approval_people;
create policy tenant on approvals to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and (environment is null or environment = current_setting('millrace.environment')::environment));
create policy tenant on approval_people to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and (environment is null or environment = current_setting('millrace.environment')::environment));

-- Retention deletes calls together with their approvals.
create function delete_approvals_of_calls() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from public.approvals a using deleted where a.subject_kind = 'agent_call' and a.subject_id = deleted.id;
  return null;
end
$$;
create trigger agent_calls_deleted after delete on agent_calls referencing old table as deleted
  for each statement execute function delete_approvals_of_calls();

-- One step of the approvers of the policy. A call without a policy has the approvers of the initial policy.
insert into approvals (workspace_id, environment, id, subject_kind, subject_id, state, requester_ids, managed_id, fallback,
                       steps, position, expires_at, created_at, ended_at)
select c.workspace_id, null, 'apr_' || substr(c.id, 5), 'agent_call', c.id, s.state,
       case when s.is_requester then array[c.user_id] else '{}' end, c.user_id, 'agent_policy:write',
       jsonb_build_array(jsonb_build_object(
         'name', null, 'approvers', s.approvers, 'rule', 'any', 'quorum', null,
         'state', case s.state when 'withdrawn' then 'skipped' when 'expired' then 'skipped' else s.state end,
         'seats', s.seats,
         'decisions', case when s.state in ('approved', 'rejected') then jsonb_build_array(jsonb_build_object(
             'userId', c.decided_by, 'approved', s.state = 'approved', 'comment', c.comment,
             'at', to_char(c.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
           else '[]'::jsonb end,
         'startedAt', to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
       0, c.expires_at, c.created_at, case when s.state <> 'pending' then coalesce(c.decided_at, c.finished_at, c.expires_at) end
  from agent_calls c
  left join agent_policies p on p.workspace_id = c.workspace_id
  cross join lateral (
    select case c.status when 'pending' then 'pending' when 'rejected' then 'rejected' when 'expired' then 'expired'
                         when 'cancelled' then 'withdrawn' else 'approved' end as state,
           coalesce(p.four_eyes, true) as is_requester,
           coalesce(jsonb_agg(jsonb_build_object('kind', case when a.id like 'usr\_%' then 'person' else 'role' end, 'id', a.id)
                              order by a.n), '[]') as approvers,
           coalesce(jsonb_agg(
             coalesce((select jsonb_agg(m.user_id order by m.user_id) from (
                select m.user_id from memberships m
                 where m.workspace_id = c.workspace_id and m.status = 'active' and (m.user_id = a.id or a.id = any (m.roles))
                   and not (coalesce(p.four_eyes, true) and m.user_id = c.user_id)
                 order by m.user_id limit 200) m), '[]') order by a.n), '[]') as seats
      from (select coalesce(r.id, names.name) as id, names.n
              from unnest(coalesce(p.approvers, '{owner,admin}')) with ordinality as names (name, n)
              left join roles r on r.workspace_id = c.workspace_id and r.name = names.name) a) s
 where c.decided_by is not null or c.status in ('pending', 'expired');

insert into approval_people (workspace_id, environment, approval_id, user_id, subject_kind, subject_id, is_asked)
select a.workspace_id, null, a.id, u.id, a.subject_kind, a.subject_id, a.state = 'pending'
  from approvals a
  cross join lateral (
    select jsonb_array_elements_text(seat) as id from jsonb_array_elements(a.steps -> 0 -> 'seats') seat
    union
    select d ->> 'userId' from jsonb_array_elements(a.steps -> 0 -> 'decisions') d) u
 where a.subject_kind = 'agent_call';

update jobs set kind = 'agent_calls.expire_approval', payload = jsonb_build_object('subjectId', payload ->> 'callId')
 where kind = 'mcp.expire_agent_call';
