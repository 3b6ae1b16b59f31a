-- Where the server has pgvector, `millrace_vectors.chunks` has the vectors of `record_vectors` once more, in its type, so that
-- they are compared within the server. The copies are in a schema of their own: a dump that is restored where there is no
-- pgvector lacks these and nothing else. `uncopied` names the records whose vectors are not, or no longer, as they are here;
-- a trigger marks them, whoever writes.

-- Called by the owner at every start. Answers 'ready', 'absent' where the server has no pgvector, or why it can't be used.
create function ensure_vector_copies() returns text
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  home text;
begin
  if not exists (select from pg_extension where extname = 'vector') then
    if not exists (select from pg_available_extensions where name = 'vector') then
      -- Of a server that had it.
      drop trigger if exists record_vectors_uncopied on public.record_vectors;
      return 'absent';
    end if;
    create extension vector with schema public;
  end if;
  if exists (select from pg_attribute a join pg_class c on c.oid = a.attrelid
              where c.relnamespace = to_regnamespace('millrace_vectors') and c.relname = 'chunks'
                and a.attname = 'chunk' and not a.attisdropped)
     and exists (select from pg_trigger
                  where tgrelid = 'public.record_vectors'::regclass and tgname = 'record_vectors_uncopied') then
    return 'ready';
  end if;
  select quote_ident(n.nspname) into home
    from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector';
  drop trigger if exists record_vectors_uncopied on public.record_vectors;
  drop schema if exists millrace_vectors cascade;
  create schema millrace_vectors;
  grant usage on schema millrace_vectors to millrace_app, millrace_system;
  execute format('grant usage on schema %s to millrace_app', home);

  execute format($table$
    create table millrace_vectors.chunks (
      table_id     text        collate "C" not null,
      column_name  text        collate "C" not null,
      record_id    text        collate "C" not null,
      place        integer     not null,
      workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
      environment  public.environment not null default current_setting('millrace.environment')::public.environment,
      chunk        %s.vector   not null,
      primary key (table_id, column_name, record_id, place),
      foreign key (table_id, column_name, record_id) references public.record_vectors on update cascade on delete cascade
    )$table$, home);
  -- Within the row while there is room: a search reads all of them.
  alter table millrace_vectors.chunks alter column chunk set storage main;
  alter table millrace_vectors.chunks enable row level security;
  create policy tenant on millrace_vectors.chunks to millrace_app
    using (workspace_id = current_setting('millrace.workspace')::uuid
       and environment = current_setting('millrace.environment')::public.environment);
  grant select, insert, delete on millrace_vectors.chunks to millrace_app;

  create table millrace_vectors.uncopied (
    table_id     text        collate "C" not null,
    column_name  text        collate "C" not null,
    record_id    text        collate "C" not null,
    workspace_id uuid        not null,
    environment  public.environment not null,
    -- Counted, so that whoever marks a record holds its row: nobody copies meanwhile what was there before.
    marks        integer     not null default 1,
    primary key (table_id, column_name, record_id),
    foreign key (table_id, column_name, record_id) references public.record_vectors on update cascade on delete cascade
  );
  alter table millrace_vectors.uncopied enable row level security;
  create policy tenant on millrace_vectors.uncopied to millrace_app
    using (workspace_id = current_setting('millrace.workspace')::uuid
       and environment = current_setting('millrace.environment')::public.environment);
  create policy everything on millrace_vectors.uncopied for select to millrace_system using (true);
  -- To lock a row needs the right to update one.
  grant select, update, delete on millrace_vectors.uncopied to millrace_app;
  grant select on millrace_vectors.uncopied to millrace_system;

  create function millrace_vectors.mark_uncopied() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $mark$
  begin
    insert into millrace_vectors.uncopied as u (table_id, column_name, record_id, workspace_id, environment)
    values (new.table_id, new.column_name, new.record_id, new.workspace_id, new.environment)
    on conflict (table_id, column_name, record_id) do update set marks = u.marks + 1;
    return null;
  end $mark$;
  create trigger record_vectors_uncopied after insert or update of vectors on public.record_vectors
    for each row when (new.vectors is not null) execute function millrace_vectors.mark_uncopied();
  insert into millrace_vectors.uncopied (table_id, column_name, record_id, workspace_id, environment)
  select table_id, column_name, record_id, workspace_id, environment from public.record_vectors where vectors is not null;
  return 'ready';
exception when others then
  return sqlerrm;
end $$;
revoke execute on function ensure_vector_copies() from public;
