-- When somebody first logged in to an account. The log says it too, but retention may delete that.
alter table users add column first_login_at timestamptz;
update users u set first_login_at = l.at
  from (select user_id, min(at) as at
          from (select user_id, created_at as at from sessions
                union all
                select coalesce(data ->> 'userId', resource_id), created_at from events
                 where type = 'audit.auth.login') as known
         group by user_id) as l
 where l.user_id = u.id;

create function note_first_login() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.users set first_login_at = new.created_at
   where id = new.user_id and first_login_at is null;
  return null;
end $$;
revoke execute on function note_first_login() from public;
create trigger note_first_login after insert on sessions
  for each row execute function note_first_login();
