-- The inbox of each member. It belongs to the workspace; the environment says where the thing happened.
create table notifications (
  id            text        collate "C" primary key,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  user_id       text        collate "C" not null,
  environment   environment not null,
  title         text        not null,
  body          text        not null,
  event_id      text        collate "C",
  event_type    text        collate "C",
  resource_type text        collate "C",
  resource_id   text        collate "C",
  read_at       timestamptz,
  revision      integer     not null default 1,
  created_at    timestamptz not null
);
create index notifications_inbox on notifications (workspace_id, user_id, id);
create index notifications_unread on notifications (workspace_id, user_id, id) where read_at is null;
create index notifications_age on notifications using brin (created_at);
alter table notifications enable row level security;
create policy tenant on notifications to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on notifications to millrace_system using (true);
grant select, insert, update, delete on notifications to millrace_app;
grant select, delete on notifications to millrace_system;
