-- The inbox of each member. It belongs to the workspace; the environment says where the thing happened.
-- Who leaves the workspace leaves nothing behind.
create table notifications (
  id            text        collate "C" primary key,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  user_id       text        collate "C" not null,
  environment   environment not null default current_setting('millrace.environment')::environment,
  title         text        not null,
  body          text        not null,
  event_id      text        collate "C",
  event_type    text        collate "C",
  resource_type text        collate "C",
  resource_id   text        collate "C",
  read_at       timestamptz,
  revision      integer     not null default 1,
  created_at    timestamptz not null,
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);
create index notifications_inbox on notifications (workspace_id, user_id, id);
create index notifications_unread on notifications (workspace_id, user_id, id) where read_at is null;
create index notifications_age on notifications using brin (created_at);
alter table notifications enable row level security;
create policy tenant on notifications to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on notifications to millrace_system using (true);
grant select, insert, update (read_at, revision), delete on notifications to millrace_app;
grant select, delete on notifications to millrace_system;

-- Whether a member gets e-mail too. Without a row they do.
create table notification_preferences (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  user_id      text        collate "C" not null,
  email        boolean     not null default true,
  revision     integer     not null default 0,
  updated_at   timestamptz not null,
  primary key (workspace_id, user_id),
  foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);
alter table notification_preferences enable row level security;
create policy tenant on notification_preferences to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
grant select, insert, update (email, revision, updated_at) on notification_preferences to millrace_app;
