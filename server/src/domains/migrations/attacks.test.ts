import { expect, test } from "vitest";
import type { Partition } from "#kernel/db/partition.ts";
import { ownerOf, schemaOf } from "#kernel/db/sql-runner.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { items, migrationWorkspace } from "./testing/workspace.ts";

const world = await useWorld();
const workspace = await world.workspace("here");
const owner = await world.member(["owner"], workspace);
const here: Partition = { workspace: workspace.key, environment: "production" };
const elsewhere = await world.workspace("elsewhere");
const other = await world.member(["owner"], elsewhere);
for (const ask of [owner, other]) {
  await ask("POST /api/v1/tables", { name: "Items", columns: [{ name: "title", type: "text" }] });
  await ask("POST /api/v1/tables/items/records", { title: "One" });
}
const strangers: string = schemaOf({ workspace: elsewhere.key, environment: "production" });

/** The state of the database that an attack might change. */
async function state() {
  return {
    records: await world.sql(`select title, revision from ${schemaOf(here)}.items`),
    theirs: await world.sql(`select title, revision from ${strangers}.items`),
    relations: await world.sql(
      `select n.nspname, c.relname, c.relkind, c.relrowsecurity, c.relacl::text, c.relowner from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
        where n.nspname !~ '^pg_(toast|temp)' order by 1, 2`,
    ),
    functions: await world.sql("select count(*) from pg_proc"),
    types: await world.sql("select count(*) from pg_type"),
    triggers: await world.sql("select tgname from pg_trigger where not tgisinternal order by 1"),
    policies: await world.sql("select tablename, policyname, qual from pg_policies order by 1, 2"),
    // The cluster is shared with other tests.
    members: await world.sql(
      `select r.rolname, m.rolname as member from pg_auth_members a
         join pg_roles r on r.oid = a.roleid join pg_roles m on m.oid = a.member
        where $1 in (r.rolname, m.rolname) order by 1, 2`,
      [ownerOf(here)],
    ),
    settings: await world.sql(
      `select setconfig from pg_db_role_setting
        where setdatabase = (select oid from pg_database where datname = current_database())`,
    ),
    objects: await world.sql("select count(*) from pg_largeobject_metadata"),
    users: await world.sql("select id, status from users order by 1"),
  };
}

const ATTACKS = [
  // Other schemas and platform data.
  "insert into items (title) select email from public.users",
  "insert into items (title) select email from users",
  "insert into items (title) select token_hash::text from sessions",
  "update public.users set status = 'active'",
  "delete from public.events",
  () => `insert into items (title) select title from ${strangers}.items`,
  () => `delete from ${strangers}.items`,
  () => `drop table ${strangers}.items`,
  () => `alter table ${strangers}.items add column x int`,
  () => `create table t (x text references ${strangers}.items)`,
  "insert into items (title) select rolname from pg_roles",
  "insert into items (title) select rolpassword from pg_catalog.pg_authid",
  "insert into items (title) select table_name from information_schema.tables",
  'insert into items (title) select relname from "pg_class"',
  "insert into items (title) with pg_class as (select 'x' as n) select n from pg_class",
  'insert into "View_0123456789abcdef" (title) values (1)',
  // Functions with side effects, or that read system data.
  "insert into items (title) values (current_setting('millrace.workspace'))",
  "insert into items (title) values (set_config('role', 'postgres', false))",
  "update items set title = pg_sleep(10)::text",
  "insert into items (title) values (pg_read_file('/etc/passwd'))",
  "insert into items (title) select * from pg_ls_dir('/')",
  "insert into items (title) values (query_to_xml('select 1', true, true, '')::text)",
  "insert into items (title) values (lo_import('/etc/passwd')::text)",
  "insert into items (title) values (dblink_exec('x', 'y'))",
  "insert into items (title) values (public.new_record_id())",
  "insert into items (title) values (public.make_user_schema())",
  "insert into items (title) values (change_structure('x', 'drop table items'))",
  "insert into items (title) values (repeat('x', 1000000000))",
  "insert into items (title) values (current_user)",
  "insert into items (title) values (session_user)",
  "insert into items (title) values ('pg_authid'::regclass::text)",
  "insert into items (title) values (pg_advisory_lock(1)::text)",
  "insert into items (title) values (pg_terminate_backend(1)::text)",
  "insert into items (title) values (nextval('x')::text)",
  "insert into items (title) values (txid_current()::text)",
  "insert into items (title) values ((row(1)).pg_read_file)",
  "insert into items (title) select x.pg_read_file from unnest(array['/etc/passwd']) as x",
  "delete from items where (select true from pg_sleep(1))",
  "update items set title = $$x$$ || U&'\\0070g' returning pg_sleep(1)",
  "insert into items (title) values (U&\"pg\\005fread\\005ffile\"('x'))",
  "insert into items (title) values (operator(public.+) 1)",
  // Statements that migrations do not support.
  "select 1",
  "select * into t from items",
  "create table t as select * from items",
  "with x as (delete from items returning *) select * from x",
  "copy items to '/tmp/x'",
  "copy items from program 'id'",
  "do $$ begin perform 1; end $$",
  "create function f() returns int language sql as 'select 1'",
  "create trigger t before insert on items for each row execute function public.stamp_record()",
  "create view v as select * from items",
  "create rule r as on insert to items do nothing",
  "create policy p on items using (true)",
  "create extension dblink",
  "create schema s",
  "create role r superuser",
  "create type t as enum ('a')",
  "create sequence s",
  "create event trigger e on ddl_command_end execute function f()",
  "grant all on items to public",
  "revoke all on items from millrace_app",
  "alter role postgres password 'x'",
  "alter default privileges grant all on tables to public",
  "alter system set fsync = off",
  "alter database postgres set x.y = 1",
  "alter table items owner to postgres",
  "alter table items disable row level security",
  "alter table items force row level security",
  "alter table items inherit other",
  "alter table items set schema public",
  "alter table items alter title set storage external",
  "set role postgres",
  "set local search_path = public",
  "reset role",
  "reset all",
  "discard all",
  "begin",
  "commit",
  "rollback",
  "savepoint migration",
  "rollback to savepoint migration",
  "prepare p as delete from items",
  "execute p",
  "deallocate all",
  "declare c cursor for select 1",
  "lock table items",
  "listen x",
  "notify x",
  "load 'x'",
  "vacuum items",
  "truncate items",
  "cluster items",
  "reindex table items",
  "explain analyze delete from items",
  "call p()",
  "merge into items using items as o on true when matched then delete",
  "security label on table items is 'x'",
  "import foreign schema x from server y into z",
  "drop owned by millrace_app",
  "drop schema public cascade",
  "drop function public.new_record_id()",
  "drop policy tenant on items",
  "delete from items; commit; drop table items",
  "delete from items /* ; */ ; -- x\n; drop role millrace_app",
  "create table t (x int default pg_sleep(1))",
  "create table t (x text default current_setting('x'))",
  "create table t (x text generated always as (pg_read_file('x')) stored)",
  "create table t (x int check (pg_sleep(1) is null))",
  "create index on items (pg_sleep(1))",
  "alter table items alter title type text using pg_read_file('x')",
  `insert into items (title) values (${"abs(".repeat(6_000)}1${")".repeat(6_000)})`,
] as const;

test("no statement of a migration reaches beyond the tables, and failed ones leave no trace", async () => {
  const before = await state();
  const all = ATTACKS.map((attack) => (typeof attack === "string" ? attack : attack()));
  const written = await owner("POST /api/v1/migrations", { name: "Attacks", up: all });
  expect(written).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
  const refused = new Set(
    written.body.errors.map(({ path }: { path: string }) =>
      Number(/^\/up\/(\d+)$/.exec(path)?.[1]),
    ),
  );
  // The other statements can only be rejected at run time, because they name missing objects.
  const others = all.filter((_, index) => !refused.has(index));
  expect(others).toEqual([
    "insert into items (title) select email from users",
    "insert into items (title) select token_hash::text from sessions",
    'insert into "View_0123456789abcdef" (title) values (1)',
  ]);
  for (const sql of ["delete from items where title = 'a\0b'", "delete from items -- \ud800"]) {
    const answer = await owner("POST /api/v1/migrations", { name: "No text", up: [sql] });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
  }
  for (const sql of others) {
    const { body } = await owner("POST /api/v1/migrations", { name: "Attack", up: [sql] });
    const answer = await owner(`POST /api/v1/migrations/${body.data.id}/apply`);
    expect(answer, sql).toMatchObject({ status: 422, body: { code: "migration_failed" } });
    await owner(`DELETE /api/v1/migrations/${body.data.id}`);
  }
  expect(await state()).toEqual(before);
});

test("even without the parser checks, the database role can access only the tables", async () => {
  const role = ownerOf(here);
  const denied = [
    "select * from public.users",
    "select * from public.events",
    "select * from public.user_tables",
    `select * from ${strangers}.items`,
    "create table public.t (x int)",
    "create schema s",
    "create role r",
    "select pg_read_file('/etc/passwd')",
    "select public.make_user_schema()",
    "alter role millrace_app password 'x'",
  ];
  for (const text of denied) {
    await expect(
      world.sql(
        `do $attack$ begin set local role ${role}; execute $text$${text}$text$; end $attack$`,
      ),
      text,
    ).rejects.toMatchObject({ code: "42501" });
  }
});

test("an error never contains data of records", async () => {
  const { owner, write, apply, applied, read, remove, lastEvent } = await migrationWorkspace(world);
  await applied([items]);
  await owner("POST /api/v1/tables/items/records", { title: "Secret & (", amount: 1 });
  for (const [sql, message] of [
    ["update items set amount = title::int", "a value can't be converted to the new type"],
    ["update items set amount = extract(year from title::date)", "a value is not a date or time"],
    ["update items set title = date_trunc(title, now())::text", "a value is not allowed"],
    ["delete from items where title::jsonpath is null", "a value is not allowed"],
    ["delete from items where title::tsquery is null", "a value is not allowed"],
  ] as const) {
    const id = await write([sql]);
    const answer = await apply(id);
    expect(answer).toMatchObject({
      body: { code: "migration_failed", errors: [{ message: `line 1, column 1: ${message}` }] },
      events: ["migration.failed"],
    });
    const told = JSON.stringify([answer.body, await read(id), await lastEvent()]);
    expect(told).toContain(message);
    expect(told).not.toContain("Secret");
    await remove(id);
  }
});

test("SQL cannot forge a revision or an author by redefining a name", async () => {
  const { owner, applied } = await migrationWorkspace(world);
  await applied([items]);
  const { body } = await owner("POST /api/v1/tables/items/records", { title: "One", amount: 1 });
  const q = "with q as (with items as (select 1 as a) select a from items)";
  await applied([
    `${q} update items set title = 'Two', revision = 99, created_by = 'usr_x' from q`,
    `${q} insert into items (title, revision, created_by) select 'Three', 99, 'usr_x' from q`,
  ]);
  const { body: found } = await owner("GET /api/v1/tables/items/records?sort=amount");
  const ids: string[] = found.data.map(({ id }: { id: string }) => id);
  expect(ids).toContain(body.data.id);
  expect(found.data.map(({ createdBy }: any) => createdBy)).toEqual([owner.userId, owner.userId]);
  const etags = await Promise.all(
    ids.map(async (id) => [
      id,
      (await owner(`GET /api/v1/tables/items/records/${id}`)).headers["etag"],
    ]),
  );
  expect(etags.map(([id, etag]) => `${id === body.data.id} ${etag}`).toSorted()).toEqual([
    'false "1"',
    'true "2"',
  ]);
});
