-- Mailboxes of teams, the mails that came to them, and where the polling of each has got to.

create table mailboxes (
  id                  text        collate "C" primary key,
  workspace_id        uuid        not null default current_setting('millrace.workspace')::uuid,
  environment         environment not null default current_setting('millrace.environment')::environment,
  name                text        not null,
  -- In lower case, and of one mailbox in all workspaces: it tells whose mail one is.
  address             text        collate "C" not null,
  kind                text        collate "C" not null check (kind in ('smtp', 'imap')),
  team_id             text        collate "C" references teams,
  enabled             boolean     not null,
  acknowledge         boolean     not null,
  defaults            jsonb       not null,
  templates           jsonb       not null,
  rules               jsonb       not null,
  senders_hourly_max  integer     not null,
  imap                jsonb,
  -- The member whose right to use secrets the polling needs, and the permissions that it is confined to.
  saved_by            text        collate "C" not null,
  permissions         text[]      collate "C",
  revision            integer     not null default 1,
  created_by          text        collate "C" not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  constraint mailboxes_address unique (address)
);
create index mailboxes_team on mailboxes (workspace_id, environment, team_id);

-- The place of a mailbox's polling, which moves with the mails that were stored.
create table mailbox_cursors (
  mailbox_id   text        collate "C" primary key references mailboxes on delete cascade,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  uid_validity bigint      not null,
  last_uid     bigint      not null,
  polled_at    timestamptz not null,
  error        text
);

create table mails (
  id            text        collate "C" primary key,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  environment   environment not null default current_setting('millrace.environment')::environment,
  mailbox_id    text        collate "C" not null references mailboxes on delete cascade,
  state         text        collate "C" not null
                check (state in ('waiting', 'received', 'ignored', 'bounced', 'failed')),
  reason        text        collate "C",
  detail        text,
  source        text        collate "C" not null,
  -- Null for the null return path of bounces.
  return_path   text        collate "C",
  recipient     text        collate "C" not null,
  -- The mail as it came; null once its retention is over.
  file_id       text        collate "C",
  size          integer     not null,
  message_id    text        collate "C",
  from_address  text        collate "C",
  from_name     text,
  subject       text,
  ticket_kind   text        collate "C",
  ticket_id     text        collate "C",
  ticket_number text        collate "C",
  comment_id    text        collate "C",
  quoted        text,
  notices       text[]      not null default '{}',
  tag           text,
  acknowledged  boolean     not null default false,
  uid_validity  bigint,
  uid           bigint,
  created_at    timestamptz not null,
  ended_at      timestamptz
);
create index mails_mailbox on mails (mailbox_id, id);
create index mails_ticket on mails (workspace_id, environment, ticket_id, id) where ticket_id is not null;
create index mails_sender on mails (mailbox_id, from_address, created_at) where from_address is not null;
create index mails_kept on mails (created_at);
-- Mails that did something: the same one again does it once.
create unique index mails_message on mails (workspace_id, environment, message_id)
  where message_id is not null and state <> 'ignored';
create unique index mails_uid on mails (mailbox_id, uid_validity, uid) where uid is not null;

alter table mailboxes enable row level security;
alter table mailbox_cursors enable row level security;
alter table mails enable row level security;
create policy tenant on mailboxes to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on mailbox_cursors to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy tenant on mails to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on mailboxes to millrace_system using (true);
create policy everything on mailbox_cursors to millrace_system using (true);
create policy everything on mails to millrace_system using (true);
grant select, insert, update, delete on mailboxes, mailbox_cursors, mails to millrace_app;
grant select on mailboxes, mailbox_cursors to millrace_system;
grant select, delete on mails to millrace_system;
