-- Event types, with patterns, about which a member gets no e-mail.
alter table notification_preferences
  add column no_email_for text[] not null default '{}';
grant update (no_email_for) on notification_preferences to millrace_app;

-- A seat that was handed to somebody who left is its approver's again.
grant delete on change_proxies to millrace_app;

-- Clocks that were folded by other rules, for what a response is and when a clock stops. Zero is no
-- policy's revision: those of open tickets are folded anew with their next event, others stay as they are.
update sla_clocks set policy_revision = 0;

-- By which language numbers and dates are written.
alter table workspaces add column locale text collate "C" not null default 'en-GB';

-- The language of an article, by which its words are searched.
alter table articles add column language text collate "C" not null default 'en';
create index articles_language on articles (workspace_id, environment, language)
  where state = 'published';

-- The text search configuration of an ISO 639-1 language; words of others are taken as they are.
create function text_config(language text) returns regconfig
language sql immutable parallel safe as $$
  select coalesce(
    ('{"ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
       "en": "english", "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french",
       "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
       "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
       "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
       "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
       "yi": "yiddish"}'::jsonb ->> language),
    'simple')::regconfig
$$;
grant execute on function text_config(text) to millrace_app;

-- As before, among the articles of one language: what is asked was read by the rules of that one.
drop function search_articles(tsquery, tsquery, text[], text[], integer);
create function search_articles(
  all_of tsquery, any_of tsquery, terms text[], visible text[], spoken text, hits_max integer
) returns table (article_id text, has_all boolean, coverage float8, rank float8)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select hit.id, hit.has_all,
         coalesce((select avg((hit.words @@ quote_literal(term)::tsquery)::int)
                     from unnest(terms) as term), 0)::float8,
         hit.rank::float8
    from (select a.id, a.no, a.words, a.words @@ all_of as has_all,
                 ts_rank(a.words, any_of, 1) as rank
            from public.articles a
           where a.workspace_id = current_setting('millrace.workspace')::uuid
             and a.environment = current_setting('millrace.environment')::public.environment
             and a.state = 'published' and a.visibility = any (visible) and a.language = spoken
             and a.words @@ (all_of || any_of)
           order by 4 desc, 5 desc, a.no limit least(hits_max, 200)) hit
   order by hit.has_all desc, hit.rank desc, hit.no
$$;
revoke all on function search_articles(tsquery, tsquery, text[], text[], text, integer) from public;
grant execute on function search_articles(tsquery, tsquery, text[], text[], text, integer)
  to millrace_app;
