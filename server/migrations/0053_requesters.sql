-- Those who ask: people who are no members, what they thought of an answer, outages, and how the portal looks.

-- A contact belongs to the workspace in all its environments, as a member does.
create table organisations (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        not null,
  -- In lower case; whoever writes from one of them belongs to it.
  mail_domains text[]      collate "C" not null,
  notes        text        not null,
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint organisations_name unique (workspace_id, name)
);
create index organisations_domains on organisations using gin (mail_domains);

create table contacts (
  id              text        collate "C" primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  name            text        not null,
  -- In lower case, as those of members are: an address is one person.
  address         text        collate "C" not null,
  phone           text,
  organisation_id text        collate "C" references organisations,
  language        text,
  notes           text        not null,
  revision        integer     not null default 1,
  created_by      text        collate "C" not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint contacts_address unique (workspace_id, address)
);
create index contacts_organisation on contacts (workspace_id, organisation_id)
  where organisation_id is not null;

alter table organisations enable row level security;
alter table contacts enable row level security;
create policy tenant on organisations to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on contacts to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update, delete on organisations, contacts to millrace_app;

-- How content whoever asked was, from 1 to 5. A ticket that is opened again has no rating any more.
alter table incidents
  add column satisfaction         integer check (satisfaction between 1 and 5),
  add column satisfaction_comment text,
  add column rated_at             timestamptz,
  -- Of a major incident: since when it is one, and what was last told of it.
  add column major_since          timestamptz,
  add column broadcast            text,
  add column broadcast_at         timestamptz;
alter table catalog_requests
  add column satisfaction         integer check (satisfaction between 1 and 5),
  add column satisfaction_comment text,
  add column rated_at             timestamptz;

-- Somebody's own, in the order in which they are listed.
create index incidents_caller on incidents (workspace_id, environment, caller_id, created_at, no)
  where caller_id is not null;
create index incidents_creator on incidents (workspace_id, environment, created_by, created_at, no);
create index incidents_major on incidents (workspace_id, environment, major_since)
  where major_since is not null;
create index ticket_watchers_user on ticket_watchers (workspace_id, environment, user_id, kind, ticket_id);

-- Those who said that an outage concerns them too.
create table outage_affected (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  incident_id  text        collate "C" not null references incidents,
  user_id      text        collate "C" not null,
  created_at   timestamptz not null,
  primary key (incident_id, user_id)
);
alter table outage_affected enable row level security;
create policy tenant on outage_affected to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, delete on outage_affected to millrace_app;

-- Where an item stands among its like, the words by which it is found besides, and how long it takes.
alter table catalog_items
  add column position integer not null default 100,
  add column keywords text[]  not null default '{}',
  add column estimate text,
  add column featured boolean not null default false;

-- The name, colour and picture of a workspace's portal; without a row, the product's own.
create table portal_settings (
  workspace_id uuid        primary key default current_setting('millrace.workspace')::uuid,
  title        text,
  greeting     text,
  accent       text        collate "C",
  logo_file_id text        collate "C",
  revision     integer     not null default 1,
  updated_at   timestamptz not null
);
alter table portal_settings enable row level security;
create policy tenant on portal_settings to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update on portal_settings to millrace_app;
