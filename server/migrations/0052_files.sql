-- Contents of files, each once in a workspace: in all its environments, and never seen from another. The object in the
-- store is named for the row and never for its content, so that no later upload comes to an object that is going.
-- A row is there before its object is written, and goes after it: a crash leaves no object that nobody knows.
create table blobs (
  id           text        collate "C" primary key,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  -- pending while it is written, stored, or deleted: then the object goes, and after it the row.
  state        text        collate "C" not null,
  -- folder, s3 or database.
  place        text        collate "C" not null,
  sha256       bytea,
  size         bigint,
  -- Files that have it as their content.
  refs         integer     not null default 0,
  created_at   timestamptz not null,
  -- When the last file was gone.
  unused_at    timestamptz,
  check (state <> 'stored' or (sha256 is not null and size is not null))
);
create unique index blobs_content on blobs (workspace_id, sha256) where state = 'stored';
create index blobs_pending on blobs (created_at) where state = 'pending';
create index blobs_unused on blobs (unused_at) where state = 'stored' and refs = 0;
create index blobs_deleted on blobs (id) where state = 'deleted';

-- Contents that were in the database before there was a store.
create table blob_texts (
  blob_id      text  collate "C" primary key references blobs (id) on delete cascade,
  workspace_id uuid  not null default current_setting('millrace.workspace')::uuid,
  bytes        bytea not null
);

-- Small pictures of pictures, made when they are first asked for.
create table thumbnails (
  blob_id      text    collate "C" not null references blobs (id) on delete cascade,
  edge         integer not null,
  workspace_id uuid    not null default current_setting('millrace.workspace')::uuid,
  bytes        bytea   not null,
  primary key (blob_id, edge)
);

-- What the contents of a workspace add up to.
create table file_usage (
  workspace_id uuid    primary key default current_setting('millrace.workspace')::uuid,
  blobs        integer not null default 0,
  bytes        bigint  not null default 0
);

create table files (
  id            text        collate "C" primary key,
  workspace_id  uuid        not null default current_setting('millrace.workspace')::uuid,
  environment   environment not null default current_setting('millrace.environment')::environment,
  blob_id       text        collate "C" not null references blobs (id),
  name          text        not null,
  media_type    text        collate "C" not null,
  size          bigint      not null,
  width         integer,
  height        integer,
  attached_type text        collate "C",
  attached_id   text        collate "C",
  -- Seen only by those who work on what it is attached to.
  internal      boolean     not null default false,
  revision      integer     not null default 1,
  created_by    text        collate "C" not null,
  created_at    timestamptz not null,
  -- Of one that is attached to nothing.
  expires_at    timestamptz,
  check ((attached_type is null) = (attached_id is null)),
  check ((attached_id is null) = (expires_at is not null))
);
create index files_own on files (workspace_id, environment, created_by, id);
create index files_attached on files (workspace_id, environment, attached_id, id) where attached_id is not null;
create index files_blob on files (blob_id);
create index files_expiring on files (expires_at) where attached_id is null;

alter table blobs enable row level security;
alter table blob_texts enable row level security;
alter table thumbnails enable row level security;
alter table file_usage enable row level security;
alter table files enable row level security;
create policy tenant on blobs to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on blob_texts to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on thumbnails to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on file_usage to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid);
create policy tenant on files to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
create policy everything on blobs to millrace_system using (true);
create policy everything on file_usage to millrace_system using (true);
create policy everything on files to millrace_system using (true);
grant select, insert, update, delete on blobs, thumbnails, file_usage, files to millrace_app;
grant select on blob_texts to millrace_app;
grant select, update, delete on blobs, files to millrace_system;
grant select, update on file_usage to millrace_system;

-- Texts that are attached to tickets become files.
alter table ticket_attachments add column file_id text collate "C";

create temporary table moved_texts on commit drop as
select workspace_id, sha256(convert_to(content, 'UTF8')) as hash,
       'blb_' || substr(min(id), 5) as blob_id, min(created_at) as created_at, count(*)::int as refs,
       (array_agg(convert_to(content, 'UTF8')))[1] as bytes
  from ticket_attachments group by workspace_id, hash;
insert into blobs (id, workspace_id, state, place, sha256, size, refs, created_at)
select blob_id, workspace_id, 'stored', 'database', hash, octet_length(bytes), refs, created_at from moved_texts;
insert into blob_texts (blob_id, workspace_id, bytes) select blob_id, workspace_id, bytes from moved_texts;
insert into file_usage (workspace_id, blobs, bytes)
select workspace_id, count(*), sum(octet_length(bytes)) from moved_texts group by workspace_id;
insert into files (id, workspace_id, environment, blob_id, name, media_type, size, attached_type, attached_id,
                   created_by, created_at)
select 'file_' || substr(a.id, 5), a.workspace_id, a.environment, m.blob_id, a.name, 'text/plain', a.bytes,
       a.kind, a.ticket_id, a.created_by, a.created_at
  from ticket_attachments a
  join moved_texts m on m.workspace_id = a.workspace_id and m.hash = sha256(convert_to(a.content, 'UTF8'));
update ticket_attachments set file_id = 'file_' || substr(id, 5);

alter table ticket_attachments alter column file_id set not null, drop column content,
  add foreign key (file_id) references files (id);
create index ticket_attachments_file on ticket_attachments (file_id);
