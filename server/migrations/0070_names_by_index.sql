-- The planner takes a word that it does not know for one in fifty rows, and walked back through all of them to find
-- none, with the words of each made anew: seconds for each key that somebody typed. What these words cost is told, and the
-- index alone is asked, for so many that the newest of a rare word are among them; of a frequent word the newest are found
-- among the newest rows, which the search looks through besides.
alter function name_words(text) cost 2000;

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
      and name_words(t.name || '' '' || t.address) @@ $1'
    when 'person' then 'select t.id from public.users t join public.memberships m on m.user_id = t.id
      where m.workspace_id = $2 and m.status = ''active'' and name_words(t.name || '' '' || t.email) @@ $1'
  end;
begin
  if statement is null then return; end if;
  return query execute 'select f.id from (' || statement || ' limit 1000) f order by f.id desc limit least($3, 200)'
    using wanted, current_setting('millrace.workspace')::uuid, hits_max;
end
$$;
