-- The vectors by which records are found by meaning, of each column that has them. A reader counts in `requested` how often a
-- record was changed; a job works the vectors out after the commit, and notes in `done` the count that it saw.
create table record_vectors (
  table_id     text        collate "C" not null references user_tables (id) on delete cascade,
  column_name  text        collate "C" not null,
  record_id    text        collate "C" not null,
  workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
  environment  environment not null default current_setting('millrace.environment')::environment,
  requested       integer     not null default 1,
  done         integer     not null default 0,
  -- Of what they were made of: while the record has another, they do not count.
  digest       text        collate "C",
  -- One for each chunk, one behind the other: float32, little endian, each of length 1.
  vectors      bytea,
  primary key (table_id, column_name, record_id)
);
-- Numbers like these do not get smaller.
alter table record_vectors alter column vectors set storage external;
create index record_vectors_pending on record_vectors (table_id, record_id) where requested > done;
alter table record_vectors enable row level security;
create policy tenant on record_vectors to millrace_app
  using (workspace_id = current_setting('millrace.workspace')::uuid
     and environment = current_setting('millrace.environment')::environment);
grant select, insert, update, delete on record_vectors to millrace_app;

-- The reader of records asks with each batch which tables have such columns; mostly none has.
create index user_tables_vectors on user_tables (workspace_id, environment)
  where columns @? '$[*] ? (@.type == "vector" || @.type == "embedding")';
