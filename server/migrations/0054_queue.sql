-- Tags and fields of a workspace's own, on every kind of ticket.
alter table incidents
  add column tags text[] collate "C" not null default '{}', add column fields jsonb not null default '{}';
alter table changes
  add column tags text[] collate "C" not null default '{}', add column fields jsonb not null default '{}';
alter table problems
  add column tags text[] collate "C" not null default '{}', add column fields jsonb not null default '{}';
alter table catalog_requests
  add column tags text[] collate "C" not null default '{}', add column fields jsonb not null default '{}';

-- The tickets of all kinds in one list: what a queue shows, sorts and counts by. Triggers write it in the
-- transaction that writes a ticket, a clock or a comment, so it is never behind, whoever writes (ADR 0049).
create table tickets (
  id                text        collate "C" primary key,
  workspace_id      uuid        not null default current_setting('millrace.workspace')::uuid,
  environment       environment not null default current_setting('millrace.environment')::environment,
  -- Ends every order: numbers begin anew for each kind.
  seq               bigint      not null generated always as identity,
  kind              text        collate "C" not null,
  number            text        collate "C" not null,
  title             text        not null,
  state             text        collate "C" not null,
  -- Whether somebody still has to work on it.
  is_open           boolean     not null,
  priority          integer,
  -- The person affected by an incident, or for whom a request is.
  caller_id         text        collate "C",
  assignee_id       text        collate "C",
  team_id           text        collate "C",
  on_hold_reason    text,
  tags              text[]      collate "C" not null,
  fields            jsonb       not null,
  -- The nearest of the clocks that go; null where none counts.
  due_at            timestamptz,
  due_state         text        collate "C" check (due_state in ('running', 'paused', 'breached')),
  due_metric        text        collate "C",
  -- The last comment that is not internal.
  comment_by        text        collate "C",
  comment_at        timestamptz,
  comment_by_caller boolean,
  words             tsvector    not null,
  created_by        text        collate "C" not null,
  revision          integer     not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null
);

create function mirror_ticket() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  ticket public.tickets;
begin
  case tg_table_name
    when 'incidents' then
      ticket.kind := 'incident';
      ticket.is_open := new.state in ('new', 'in_progress', 'on_hold');
      ticket.priority := new.priority;
      ticket.caller_id := new.caller_id;
      ticket.on_hold_reason := new.on_hold_reason;
    when 'changes' then
      ticket.kind := 'change';
      ticket.is_open := new.state in ('draft', 'submitted', 'approved', 'implementing');
    when 'problems' then
      ticket.kind := 'problem';
      ticket.is_open := new.state in ('open', 'investigating', 'known_error');
      ticket.priority := new.priority;
    when 'catalog_requests' then
      ticket.kind := 'request';
      ticket.is_open := new.state in ('submitted', 'awaiting_approval', 'approved', 'fulfilling');
      ticket.caller_id := new.requested_for;
  end case;
  -- Texts are long and change seldom.
  if tg_op = 'INSERT' or (new.title, new.description, new.tags, new.fields)
     is distinct from (old.title, old.description, old.tags, old.fields) then
    ticket.words :=
      setweight(to_tsvector('simple', new.number || ' ' || new.title), 'A')
      || setweight(to_tsvector('simple', array_to_string(new.tags, ' ')), 'B')
      || setweight(jsonb_to_tsvector('simple', new.fields, '["string", "numeric"]'), 'B')
      || setweight(to_tsvector('simple', left(new.description, 20000)), 'C');
  end if;
  if tg_op = 'INSERT' then
    insert into public.tickets
      (id, workspace_id, environment, kind, number, title, state, is_open, priority, caller_id,
       assignee_id, team_id, on_hold_reason, tags, fields, words, created_by, revision,
       created_at, updated_at)
    values
      (new.id, new.workspace_id, new.environment, ticket.kind, new.number, new.title, new.state,
       ticket.is_open, ticket.priority, ticket.caller_id, new.assignee_id, new.team_id,
       ticket.on_hold_reason, new.tags, new.fields, ticket.words,
       new.created_by, new.revision, new.created_at, new.updated_at);
  else
    update public.tickets t
       set title = new.title, state = new.state, is_open = ticket.is_open, priority = ticket.priority,
           caller_id = ticket.caller_id, assignee_id = new.assignee_id, team_id = new.team_id,
           on_hold_reason = ticket.on_hold_reason,
           tags = new.tags, fields = new.fields, words = coalesce(ticket.words, t.words),
           revision = new.revision, updated_at = new.updated_at
     where t.id = new.id;
  end if;
  return null;
end
$$;

create function unmirror_ticket() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from public.tickets where id = old.id;
  return null;
end
$$;

-- Clocks: the nearest that goes is what is due; one that is late stays due until it stops.
create function mirror_clocks() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  with due as (
    select o.ticket_id, c.due_at, c.metric,
           case when c.state is null then null
                when c.due_at is null then 'paused'
                when c.state = 'breached' then 'breached'
                else 'running' end as state
      from (select distinct workspace_id, environment, ticket_id from written) o
      left join lateral (
        select s.due_at, s.metric, s.state from public.sla_clocks s
         where s.workspace_id = o.workspace_id and s.environment = o.environment
           and s.ticket_id = o.ticket_id and s.stopped_at is null and s.state <> 'cancelled'
         order by s.due_at nulls last, s.no limit 1) c on true)
  update public.tickets t
     set due_at = due.due_at, due_state = due.state, due_metric = due.metric
    from due
   where t.id = due.ticket_id
     and (t.due_at, t.due_state, t.due_metric) is distinct from (due.due_at, due.state, due.metric);
  return null;
end
$$;

create function mirror_comment() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update public.tickets t
     set comment_by = new.created_by, comment_at = new.created_at,
         comment_by_caller = new.created_by = coalesce(t.caller_id, t.created_by)
   where t.id = new.ticket_id and (t.comment_at is null or t.comment_at <= new.created_at);
  return null;
end
$$;

-- What there is already.
insert into tickets
  (id, workspace_id, environment, kind, number, title, state, is_open, priority, caller_id, assignee_id,
   team_id, on_hold_reason, tags, fields, words, created_by, revision, created_at, updated_at,
   due_at, due_state, due_metric, comment_by, comment_at, comment_by_caller)
select a.id, a.workspace_id, a.environment, a.kind, a.number, a.title, a.state, a.is_open, a.priority,
       a.caller_id, a.assignee_id, a.team_id, a.on_hold_reason, '{}', '{}',
       setweight(to_tsvector('simple', a.number || ' ' || a.title), 'A')
         || setweight(to_tsvector('simple', left(a.description, 20000)), 'C'),
       a.created_by, a.revision, a.created_at, a.updated_at, d.due_at,
       case when d.state is null then null when d.due_at is null then 'paused'
            when d.state = 'breached' then 'breached' else 'running' end,
       d.metric, c.created_by, c.created_at, c.created_by = coalesce(a.caller_id, a.created_by)
  from (
    select id, workspace_id, environment, 'incident' as kind, number, title, description, state,
           state in ('new', 'in_progress', 'on_hold') as is_open, priority, caller_id, assignee_id,
           team_id, on_hold_reason, created_by, revision, created_at,
           updated_at from incidents
    union all
    select id, workspace_id, environment, 'change', number, title, description, state,
           state in ('draft', 'submitted', 'approved', 'implementing'), null, null, assignee_id,
           team_id, null, created_by, revision, created_at, updated_at from changes
    union all
    select id, workspace_id, environment, 'problem', number, title, description, state,
           state in ('open', 'investigating', 'known_error'), priority, null, assignee_id, team_id,
           null, created_by, revision, created_at, updated_at from problems
    union all
    select id, workspace_id, environment, 'request', number, title, description, state,
           state in ('submitted', 'awaiting_approval', 'approved', 'fulfilling'), null,
           requested_for, assignee_id, team_id, null, created_by, revision, created_at,
           updated_at from catalog_requests) a
  left join lateral (
    select s.due_at, s.metric, s.state from sla_clocks s
     where s.workspace_id = a.workspace_id and s.environment = a.environment and s.ticket_id = a.id
       and s.stopped_at is null and s.state <> 'cancelled'
     order by s.due_at nulls last, s.no limit 1) d on true
  left join lateral (
    select m.created_by, m.created_at from ticket_comments m
     where m.workspace_id = a.workspace_id and m.environment = a.environment and m.ticket_id = a.id
       and not m.internal
     order by m.id desc limit 1) c on true
 order by a.created_at;

create trigger mirror_ticket after insert or update on incidents
  for each row execute function mirror_ticket();
create trigger mirror_ticket after insert or update on changes
  for each row execute function mirror_ticket();
create trigger mirror_ticket after insert or update on problems
  for each row execute function mirror_ticket();
create trigger mirror_ticket after insert or update on catalog_requests
  for each row execute function mirror_ticket();
create trigger unmirror_ticket after delete on incidents
  for each row execute function unmirror_ticket();
create trigger unmirror_ticket after delete on changes
  for each row execute function unmirror_ticket();
create trigger unmirror_ticket after delete on problems
  for each row execute function unmirror_ticket();
create trigger unmirror_ticket after delete on catalog_requests
  for each row execute function unmirror_ticket();
create trigger mirror_new_clocks after insert on sla_clocks
  referencing new table as written for each statement execute function mirror_clocks();
create trigger mirror_changed_clocks after update on sla_clocks
  referencing new table as written for each statement execute function mirror_clocks();
create trigger mirror_comment after insert on ticket_comments
  for each row when (not new.internal) execute function mirror_comment();

-- Queues hold what is open, and are read by what breaks first.
create index tickets_open on tickets (workspace_id, environment, due_at, seq) where is_open;
create index tickets_mine on tickets (workspace_id, environment, assignee_id, due_at, seq) where is_open;
create index tickets_team on tickets (workspace_id, environment, team_id, due_at, seq) where is_open;
create index tickets_created on tickets (workspace_id, environment, created_at, seq);
create index tickets_kind on tickets (workspace_id, environment, kind, created_at, seq);
create index tickets_number on tickets (workspace_id, environment, number);
create index tickets_caller on tickets (workspace_id, environment, caller_id, created_at, seq)
  where caller_id is not null;
create index tickets_tagged on tickets (workspace_id, environment, seq) where tags <> '{}';
create index tickets_words on tickets using gin (words);
create index ticket_comments_words on ticket_comments using gin (to_tsvector('simple', left(body, 20000)));

-- The search over the tickets of a kind, by number, title, tags, own fields, description and comments. Row-level
-- security lets `@@` into no index, see `search_articles`: this asks as the owner, and for itself of nothing but
-- the partition that the session is in. The statement is planned for the words, rare ones by the index and frequent ones by walking back, and its work
-- is bounded: the best of the newest that fit.
create function search_tickets(
  wanted_kind text, with_internal boolean, wanted tsquery, hits_max integer)
returns table (id text, rank real)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query execute $statement$
    with fits as (
      (select t.id, 0::real as said from public.tickets t
        where t.workspace_id = current_setting('millrace.workspace')::uuid
          and t.environment = current_setting('millrace.environment')::public.environment
          and t.kind = $1 and t.words @@ $3
        order by t.created_at desc, t.seq desc limit 300)
      union all
      (select c.ticket_id, 0.02 from public.ticket_comments c
        where c.workspace_id = current_setting('millrace.workspace')::uuid
          and c.environment = current_setting('millrace.environment')::public.environment
          and c.kind = $1 and to_tsvector('simple', left(c.body, 20000)) @@ $3
          and ($2 or not c.internal)
        order by c.id desc limit 100))
    select t.id, (ts_rank('{0.1, 0.2, 0.5, 1.0}', t.words, $3) + max(f.said)
                   + case when t.is_open then 0.01 else 0 end)::real as rank
      from fits f join public.tickets t on t.id = f.id
     group by t.id
     order by rank desc, t.seq desc limit least($4, 200)$statement$
    using wanted_kind, with_internal, wanted, hits_max;
end
$$;
revoke all on function search_tickets(text, boolean, tsquery, integer) from public;
grant execute on function search_tickets(text, boolean, tsquery, integer) to millrace_app;
drop function search_ticket_titles(text, tsquery, text, integer);
drop index incidents_title, changes_title, problems_title, catalog_requests_title;

-- Lists that people save, for themselves, for a team or for all.
create table desk_views (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  kinds        text[]      collate "C" not null,
  only_open    boolean     not null,
  filter       jsonb       not null,
  sort         text        not null,
  columns      text[]      collate "C" not null,
  shared_with  text        collate "C" not null check (shared_with in ('nobody', 'team', 'everyone')),
  team_id      text        collate "C" references teams on delete cascade,
  position     integer     not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  check ((shared_with = 'team') = (team_id is not null))
);
create index desk_views_position on desk_views (workspace_id, position, id);

create table text_modules (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  keyword      text        collate "C" not null,
  body         text        not null,
  team_id      text        collate "C" references teams on delete cascade,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint text_modules_keyword unique (workspace_id, keyword)
);

create table macros (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  description  text        not null,
  kinds        text[]      collate "C" not null,
  team_id      text        collate "C" references teams on delete cascade,
  position     integer     not null,
  steps        jsonb       not null,
  created_by   text        collate "C" not null,
  revision     integer     not null default 1,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint macros_name unique (workspace_id, name)
);

-- A duplicate that was merged into another ticket, and what moved there, so that it can be undone.
create table ticket_merges (
  id             text        collate "C" primary key,
  workspace_id   uuid        not null default current_setting('millrace.workspace')::uuid,
  environment    environment not null default current_setting('millrace.environment')::environment,
  source_id      text        collate "C" not null,
  target_id      text        collate "C" not null,
  link_id        text        collate "C" not null,
  state_before   text        collate "C" not null,
  comment_ids    text[]      collate "C" not null,
  attachment_ids text[]      collate "C" not null,
  watcher_ids    text[]      collate "C" not null,
  created_by     text        collate "C" not null,
  created_at     timestamptz not null
);
create unique index ticket_merges_source on ticket_merges (workspace_id, environment, source_id);
create index ticket_merges_target on ticket_merges (workspace_id, environment, target_id);

-- The fields that a workspace gives the tickets of a kind.
create table ticket_fields (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  kind         text        collate "C" not null,
  fields       jsonb       not null,
  revision     integer     not null default 1,
  updated_at   timestamptz not null,
  primary key (workspace_id, kind)
);

alter table tickets enable row level security;
alter table desk_views enable row level security;
alter table text_modules enable row level security;
alter table macros enable row level security;
alter table ticket_merges enable row level security;
alter table ticket_fields enable row level security;
create policy tenant on tickets to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on ticket_merges to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on desk_views to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on text_modules to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on macros to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on ticket_fields to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on
  tickets, desk_views, text_modules, macros, ticket_merges, ticket_fields to millrace_app;
