-- A manager does not decide in place of a member whose absence the manager recorded.
create or replace function decides_for(person text, at timestamptz) returns setof text
language sql stable as $$
  select d.user_id from public.approval_delegations d
   where d.to_user_id = person and d.starts_at <= at and d.ends_at > at
  union
  select m.user_id from public.memberships m join public.absences a on a.user_id = m.user_id
   where m.manager_id = person and a.created_by <> person and m.status = 'active'
     and a.starts_at <= at and a.ends_at > at
$$;

create or replace function stand_ins_of(people text[], at timestamptz) returns setof text
language sql stable as $$
  select d.to_user_id from public.approval_delegations d
   where d.user_id = any (people) and d.starts_at <= at and d.ends_at > at
  union
  select m.manager_id from public.memberships m join public.absences a on a.user_id = m.user_id
   where m.user_id = any (people) and m.manager_id is not null and a.created_by <> m.manager_id
     and m.status = 'active' and a.starts_at <= at and a.ends_at > at
$$;
