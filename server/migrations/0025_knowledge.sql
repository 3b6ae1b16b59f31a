-- Articles, which belong to a partition as tickets do. Their numbers are of the whole workspace.
create table articles (
  id            text        collate "C" primary key,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  environment   environment not null default current_setting('millrace.environment')::environment,
  no            bigint      not null,
  number        text        collate "C" not null,
  title         text        not null,
  -- Markdown.
  body          text        not null,
  -- The words of the body alone: what is searched, and what snippets are cut from.
  plain         text        not null,
  summary       text        not null,
  tags          text[]      not null,
  category      text,
  state         text        collate "C" not null
    constraint articles_state check (state in ('draft', 'in_review', 'published', 'retired')),
  visibility    text        collate "C" not null
    constraint articles_visibility check (visibility in ('everyone', 'agents')),
  author_id     text        collate "C" not null,
  version       integer     not null default 1,
  published_at  timestamptz,
  review_due_at timestamptz,
  created_by    text        collate "C" not null,
  revision      integer     not null default 1,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  -- Written with the rest: what puts tags together is not immutable, as a generated column has to be.
  words         tsvector    not null,
  constraint articles_number unique (workspace_id, environment, no)
);
create index articles_by_number on articles (workspace_id, environment, number);
create index articles_updated on articles (workspace_id, environment, updated_at, no);
create index articles_state_updated on articles (workspace_id, environment, state, updated_at, no);
create index articles_words on articles using gin (words) where state = 'published';

-- What an article said at each time. Never changed.
create table article_versions (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  article_id   text        collate "C" not null references articles,
  version      integer     not null,
  title        text        not null,
  body         text        not null,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  primary key (article_id, version)
);

create table article_feedback (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  article_id   text        collate "C" not null references articles,
  user_id      text        collate "C" not null,
  helpful      boolean     not null,
  comment      text        not null,
  created_at   timestamptz not null,
  primary key (article_id, user_id)
);

-- Vectors of texts, by which they are found by their meaning: of articles in pieces, of tickets as a
-- whole. One that is empty says that the thing is no longer to be found.
create table text_embeddings (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  kind         text        collate "C" not null,
  thing_id     text        collate "C" not null,
  chunk        integer     not null,
  -- Vectors of different models can't be compared.
  model        text        collate "C" not null,
  -- float32, little endian, of length 1.
  vector       bytea       not null,
  -- See text_embedding_changes.
  change       bigint      not null,
  primary key (workspace_id, environment, kind, thing_id, chunk)
);
create index text_embeddings_change on text_embeddings (workspace_id, environment, kind, change);

-- How often the vectors of a partition were changed. Who changes some moves this first, and so holds it
-- until the commit: all that is at or below it has then been committed, and whoever keeps vectors in
-- memory reads only what is above what they know.
create table text_embedding_changes (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  last         bigint      not null,
  primary key (workspace_id, environment)
);

alter table articles enable row level security;
alter table article_versions enable row level security;
alter table article_feedback enable row level security;
alter table text_embeddings enable row level security;
alter table text_embedding_changes enable row level security;

create policy tenant on articles to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on article_versions to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on article_feedback to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on text_embeddings to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on text_embedding_changes to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);

grant select, insert, update on articles, article_feedback, text_embedding_changes to millrace_app;
grant select, insert on article_versions to millrace_app;
grant select, insert, delete on text_embeddings to millrace_app;

-- Row-level security lets `@@` into no index, since it might tell of rows that it is not shown. So this
-- asks as the owner, and for itself of nothing but the partition that the session is in. Those that have
-- all the words come first. `coverage` is the share of the terms that there are.
create function search_articles(
  all_of tsquery, any_of tsquery, terms text[], visible text[], hits_max integer
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
             and a.state = 'published' and a.visibility = any (visible)
             and a.words @@ (all_of || any_of)
           order by 4 desc, 5 desc, a.no limit least(hits_max, 200)) hit
   order by hit.has_all desc, hit.rank desc, hit.no
$$;
revoke all on function search_articles(tsquery, tsquery, text[], text[], integer) from public;
grant execute on function search_articles(tsquery, tsquery, text[], text[], integer) to millrace_app;
