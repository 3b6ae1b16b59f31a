-- A contact who calls may have a telephone number and no address. The words of names are indexed without an address, too:
-- of `null` nothing is found.
alter table contacts alter column address drop not null,
  add constraint contacts_reachable check (address is not null or phone is not null);
drop index contacts_words;
create index contacts_words on contacts using gin (name_words(name || ' ' || coalesce(address, '')));

create or replace function search_names(kind text, wanted tsquery, hits_max integer) returns table (id text)
language plpgsql stable security definer
set search_path = pg_catalog, public, pg_temp
set enable_seqscan = off as $$
declare
  statement text := case kind
    when 'workflow' then 'select t.id from public.workflows t where t.workspace_id = $2 and t.archived_at is null
      and name_words(t.name || '' '' || coalesce(t.definition ->> ''tags'', '''')
        || '' '' || coalesce(t.definition ->> ''description'', '''')) @@ $1'
    when 'artifact' then 'select t.id from public.artifacts t where t.workspace_id = $2
      and name_words(t.module_key || '' '' || t.name || '' '' || t.description) @@ $1'
    when 'contact' then 'select t.id from public.contacts t where t.workspace_id = $2
      and name_words(t.name || '' '' || coalesce(t.address, '''')) @@ $1'
    when 'person' then 'select t.id from public.users t join public.memberships m on m.user_id = t.id
      where m.workspace_id = $2 and m.status = ''active'' and name_words(t.name || '' '' || t.email) @@ $1'
  end;
begin
  if statement is null then return; end if;
  return query execute 'select f.id from (' || statement || ' limit 1000) f order by f.id desc limit least($3, 200)'
    using wanted, current_setting('millrace.workspace')::uuid, hits_max;
end
$$;
