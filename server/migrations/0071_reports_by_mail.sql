-- Somebody can be paged about a ticket without a policy, with a word about why.
alter table pages alter column policy_id drop not null;
alter table pages add column message text not null default '';

-- The own fields of tickets, one row for each value. The operators of JSON are not leakproof, so row-level security
-- keeps them from any index; equality of texts is.
create table ticket_field_values (
  workspace_id uuid        not null,
  environment  environment not null,
  key          text        collate "C" not null,
  value        text        collate "C" not null,
  ticket_id    text        collate "C" not null references tickets on delete cascade,
  primary key (workspace_id, environment, key, value, ticket_id)
);
create index ticket_field_values_ticket on ticket_field_values (ticket_id);
alter table ticket_field_values enable row level security;
create policy tenant on ticket_field_values to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on ticket_field_values to millrace_app;

-- A value as it is compared: numbers without the zeros at their end; long texts are not kept.
create function ticket_field_texts(fields jsonb) returns table (key text, value text)
language sql immutable set search_path = pg_catalog, public, pg_temp as $$
  select f.key, case jsonb_typeof(f.value) when 'number' then trim_scale((f.value #>> '{}')::numeric)::text
                else f.value #>> '{}' end
    from jsonb_each(fields) f
   where jsonb_typeof(f.value) in ('string', 'number', 'boolean') and length(f.value #>> '{}') <= 200
$$;

create function mirror_ticket_fields() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    delete from public.ticket_field_values v
     where v.ticket_id = new.id
       and not exists (select from public.ticket_field_texts(new.fields) f where f.key = v.key and f.value = v.value);
  end if;
  insert into public.ticket_field_values (workspace_id, environment, key, value, ticket_id)
  select new.workspace_id, new.environment, f.key, f.value, new.id
    from public.ticket_field_texts(new.fields) f
  on conflict do nothing;
  return null;
end
$$;
create trigger tickets_fields_insert after insert on tickets
  for each row when (new.fields <> '{}') execute function mirror_ticket_fields();
create trigger tickets_fields_update after update of fields on tickets
  for each row when (new.fields is distinct from old.fields) execute function mirror_ticket_fields();

insert into ticket_field_values (workspace_id, environment, key, value, ticket_id)
select t.workspace_id, t.environment, f.key, f.value, t.id
  from tickets t, ticket_field_texts(t.fields) f where t.fields <> '{}';

-- Reports and dashboards that are sent by mail.
create table report_schedules (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  name         text        not null,
  message      text        not null,
  report_id    text        collate "C",
  dashboard_id text        collate "C",
  recipients   text[]      collate "C" not null,
  schedule     jsonb       not null,
  skip_empty   boolean     not null,
  attach_csv   boolean     not null,
  enabled      boolean     not null,
  next_at      timestamptz,
  sent_at      timestamptz,
  -- What became of the last mail to each.
  outcomes     jsonb       not null,
  revision     integer     not null default 1,
  created_by   text        collate "C" not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  constraint report_schedules_name unique (workspace_id, environment, name),
  constraint report_schedules_subject check (num_nonnulls(report_id, dashboard_id) = 1)
);
create index report_schedules_list on report_schedules (workspace_id, environment, id);
create index report_schedules_report on report_schedules (workspace_id, environment, report_id);
create index report_schedules_dashboard on report_schedules (workspace_id, environment, dashboard_id);
alter table report_schedules enable row level security;
create policy tenant on report_schedules to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on report_schedules to millrace_app;
