-- What waits for the decision of people, and what they decided: one row for each thing that was to be approved. The
-- thing itself knows what comes of it.
create table approvals (
  workspace_id       uuid        not null default current_setting('millrace.workspace')::uuid,
  environment        environment not null default current_setting('millrace.environment')::environment,
  id                 text        collate "C" primary key,
  subject_kind       text        collate "C" not null,
  subject_id         text        collate "C" not null,
  state              text        collate "C" not null
    check (state in ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
  -- Those whose own it is: they decide nothing of it.
  requester_ids      text[]      collate "C" not null,
  -- Whose manager is asked where a step asks for the manager.
  managed_id         text        collate "C" not null,
  -- Who holds this permission decides where a step has nobody left.
  fallback           text        collate "C" not null,
  -- [{ name, approvers, rule, quorum, state, seats, decisions, startedAt }]
  steps              jsonb       not null,
  -- The step that waits, from 0.
  position           integer     not null,
  expires_at         timestamptz,
  remind_after_hours integer,
  reminders          integer     not null default 0,
  reminded_at        timestamptz,
  created_at         timestamptz not null,
  ended_at           timestamptz
);
create unique index approvals_pending on approvals (workspace_id, environment, subject_kind, subject_id)
  where state = 'pending';
create index approvals_subject on approvals (subject_id, created_at);
create index approvals_waiting on approvals (workspace_id, environment, subject_kind, id) where state = 'pending';

-- The people of an approval: those who are asked now, and those who were, who go on seeing it.
create table approval_people (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  approval_id  text        collate "C" not null references approvals on delete cascade,
  user_id      text        collate "C" not null,
  subject_kind text        collate "C" not null,
  subject_id   text        collate "C" not null,
  is_asked     boolean     not null,
  primary key (approval_id, user_id)
);
create index approval_people_person on approval_people (workspace_id, environment, user_id, subject_kind, is_asked);
create index approval_people_subject on approval_people (subject_id);

alter table approvals enable row level security;
alter table approval_people enable row level security;
create policy tenant on approvals to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on approval_people to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update on approvals to millrace_app;
grant select, insert, delete on approval_people to millrace_app;

-- Whoever decides in an approver's stead does so for all kinds of approvals.
alter table change_delegations rename to approval_delegations;
alter index change_delegations_to rename to approval_delegations_to;

-- The people for whom somebody decides at a moment: those who delegated it, and those who report to them and are away.
create function decides_for(person text, at timestamptz) returns setof text
language sql stable as $$
  select d.user_id from public.approval_delegations d
   where d.to_user_id = person and d.starts_at <= at and d.ends_at > at
  union
  select m.user_id from public.memberships m join public.absences a on a.user_id = m.user_id
   where m.manager_id = person and m.status = 'active' and a.starts_at <= at and a.ends_at > at
$$;

-- Those who decide in the stead of some people at a moment.
create function stand_ins_of(people text[], at timestamptz) returns setof text
language sql stable as $$
  select d.to_user_id from public.approval_delegations d
   where d.user_id = any (people) and d.starts_at <= at and d.ends_at > at
  union
  select m.manager_id from public.memberships m join public.absences a on a.user_id = m.user_id
   where m.user_id = any (people) and m.manager_id is not null and m.status = 'active'
     and a.starts_at <= at and a.ends_at > at
$$;

insert into approvals (workspace_id, environment, id, subject_kind, subject_id, state, requester_ids, managed_id, fallback,
                       steps, position, created_at, ended_at)
select r.workspace_id, r.environment, 'apr_' || substr(r.id, 5), 'request', r.id, s.state,
       array(select distinct unnest(array[r.created_by, r.requested_for])), r.requested_for, 'requests:work',
       jsonb_build_array(jsonb_build_object(
         'name', null,
         'approvers', coalesce((select jsonb_agg(jsonb_build_object('kind', 'person', 'id', a.id) order by a.n)
                                  from unnest(r.approver_ids) with ordinality as a (id, n)), '[]'),
         'rule', r.approval_rule,
         'quorum', null,
         'state', case s.state when 'approved' then 'approved' when 'rejected' then 'rejected'
                               when 'pending' then 'pending' else 'skipped' end,
         'seats', coalesce((select jsonb_agg(jsonb_build_array(a.id) order by a.n)
                              from unnest(r.approver_ids) with ordinality as a (id, n)), '[]'),
         'decisions', r.decisions,
         'startedAt', to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
       0, r.created_at, case when s.state <> 'pending' then coalesce(r.approved_at, r.ended_at, r.updated_at) end
  from catalog_requests r
  cross join lateral (select case
    when r.state = 'awaiting_approval' then 'pending'
    when r.approved_at is not null then 'approved'
    when r.state = 'rejected' then 'rejected'
    else 'withdrawn' end as state) s
 where r.approval_required and r.state <> 'submitted';

insert into approval_people (workspace_id, environment, approval_id, user_id, subject_kind, subject_id, is_asked)
select a.workspace_id, a.environment, a.id, p.user_id, a.subject_kind, a.subject_id, bool_or(p.is_asked)
  from approvals a
  join catalog_requests r on r.id = a.subject_id
  cross join lateral (
    select u.id as user_id,
           a.state = 'pending' and not exists (
             select from jsonb_array_elements(r.decisions) d where d ->> 'userId' = u.id) as is_asked
      from unnest(r.approver_ids) as u (id)
    union all
    select d ->> 'userId', false from jsonb_array_elements(r.decisions) d) p
 group by 1, 2, 3, 4, 5, 6;

alter table catalog_requests
  drop column approval_required, drop column approval_rule, drop column approver_ids, drop column decisions;

-- As before, but for who is asked to approve a request.
create or replace function search_ticket_titles(kind text, wanted tsquery, person text, hits_max integer)
returns table (id text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  tickets text := case kind
    when 'incident' then 'incidents'
    when 'change' then 'changes'
    when 'problem' then 'problems'
    when 'request' then 'catalog_requests'
  end;
  own text := case when person is not null and kind = 'request'
    then 'and ($2 in (t.created_by, t.requested_for, t.assignee_id) or exists (
            select from public.approval_people p where p.subject_id = t.id and p.user_id = $2))'
    else '' end;
begin
  if tickets is null then return; end if;
  return query execute format(
    'select t.id from public.%I t
      where t.workspace_id = current_setting(''millrace.workspace'')::uuid
        and t.environment = current_setting(''millrace.environment'')::public.environment
        and to_tsvector(''simple'', t.title) @@ $1 %s
      order by t.created_at desc, t.no desc limit least($3, 200)', tickets, own)
    using wanted, person, hits_max;
end
$$;
