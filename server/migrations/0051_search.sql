-- Titles of tickets by their words, for the search over everything. The words are taken as they stand: titles are
-- of any language. Entries wait in a list before they enter the index, so that writing a ticket stays cheap.
create index incidents_title on incidents using gin (to_tsvector('simple', title));
create index changes_title on changes using gin (to_tsvector('simple', title));
create index problems_title on problems using gin (to_tsvector('simple', title));
create index catalog_requests_title on catalog_requests using gin (to_tsvector('simple', title));

-- Row-level security lets `@@` into no index, see `search_articles`: this asks as the owner, and for itself of
-- nothing but the partition that the session is in. Where a person is given, of requests only those that are
-- theirs to see. The statement is planned for the words: rare ones by the index, frequent ones by walking back.
create function search_ticket_titles(kind text, wanted tsquery, person text, hits_max integer)
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
    then 'and ($2 in (t.created_by, t.requested_for, t.assignee_id) or $2 = any (t.approver_ids))'
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
revoke all on function search_ticket_titles(text, tsquery, text, integer) from public;
grant execute on function search_ticket_titles(text, tsquery, text, integer) to millrace_app;
