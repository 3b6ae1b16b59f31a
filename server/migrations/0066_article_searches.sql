-- What people searched for among the articles, and what came of it: one row for the same words. Bounded, and
-- deleted after half a year.
create table article_searches (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  words        text        not null,
  -- How often, in how many of those something was opened, and how much the last one found.
  searches     integer     not null,
  opened       integer     not null,
  found        integer     not null,
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  constraint article_searches_words unique (workspace_id, environment, words)
);
create index article_searches_last on article_searches (workspace_id, environment, last_at);
alter table article_searches enable row level security;
create policy tenant on article_searches to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on article_searches to millrace_app;
create policy system on article_searches for select to millrace_system using (true);
grant select on article_searches to millrace_system;

-- Apart from the articles: reading one does not write a row as large as it.
create table article_opens (
  article_id   text        collate "C" primary key references articles,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  opened       integer     not null
);
alter table article_opens enable row level security;
create policy tenant on article_opens to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on article_opens to millrace_app;

alter table articles add column reviewer_id text collate "C";

alter table catalog_items
  add column price text,
  add column visibility text collate "C" not null default 'everyone'
    constraint catalog_items_visibility check (visibility in ('everyone', 'staff')),
  drop constraint catalog_items_status_check,
  add constraint catalog_items_status check (status in ('draft', 'active', 'retired'));
