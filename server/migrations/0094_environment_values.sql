-- Values of a secret in staging and development, in the place of its own, which is production's. Sealed under the data key of
-- the workspace, bound to the workspace, the name and the environment.
alter table secrets add column own_values_only boolean not null default false;

create table secret_values (
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  name         text        collate "C" not null,
  environment  environment not null check (environment <> 'production'),
  sealed       bytea       not null,
  updated_at   timestamptz not null,
  primary key (workspace_id, name, environment),
  foreign key (workspace_id, name) references secrets on delete cascade
);
alter table secret_values enable row level security;
create policy tenant on secret_values to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on secret_values for select to millrace_system using (true);
grant select, insert, update, delete on secret_values to millrace_app;
grant select on secret_values to millrace_system;

-- Plain values that workflows and scripts read by name; nothing in them is secret.
create table variables (
  id              text        collate "C" primary key,
  workspace_id    uuid        not null default current_setting('millrace.workspace')::uuid,
  name            text        collate "C" not null,
  description     text        not null,
  -- The null of JSON is no value here too.
  value           json,
  -- By the name of an environment: the value there, in the place of the one above.
  environments    json        not null,
  own_values_only boolean     not null,
  revision        integer     not null default 1,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint variables_name unique (workspace_id, name)
);
alter table variables enable row level security;
create policy tenant on variables to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy everything on variables for select to millrace_system using (true);
grant select, insert, update, delete on variables to millrace_app;
grant select on variables to millrace_system;
