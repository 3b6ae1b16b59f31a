import pg from "pg";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { idPattern, timeOfId } from "#kernel/schema/id.ts";
import { derivedName } from "../derived-name.ts";
import { schemaSql, createTable } from "../testing/tables.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const schema: string = schemaSql(world.home);

/** Runs a query as the application, optionally in a partition. */
async function asApp<T>(
  partition: { readonly workspace: string; readonly environment: string } | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(world.database.app);
  await client.connect();
  try {
    await client.query("set default_transaction_read_only = off");
    if (partition) {
      await client.query("select set_config('millrace.workspace', $1, false)", [
        partition.workspace,
      ]);
      await client.query("select set_config('millrace.environment', $1, false)", [
        partition.environment,
      ]);
    }
    return await work(client);
  } finally {
    await client.end();
  }
}

const EVERY_TYPE = [
  { name: "words", type: "text", required: true, unique: true, options: { maxLength: 5 } },
  { name: "whole", type: "integer", indexed: true, default: 7, options: { min: 0 } },
  { name: "exact", type: "decimal", indexed: true, default: 1.5, options: { scale: 2 } },
  { name: "flag", type: "boolean", default: false },
  { name: "day", type: "date", default: "2026-02-28" },
  { name: "moment", type: "timestamp", indexed: true, default: "$now" },
  { name: "data", type: "json", indexed: true, default: { a: ["it's"] } },
  { name: "one", type: "enum", options: { values: ["it's", "b"] }, default: "it's" },
  {
    name: "some",
    type: "multi_enum",
    indexed: true,
    options: { values: ["a", "b"] },
    default: ["b"],
  },
  { name: "person", type: "reference", options: { table: "users" }, default: "$user" },
  { name: "count", type: "autonumber", unique: true, options: { start: 5 } },
];

test("every type of column has what its options allow, its default and its index in the database itself", async () => {
  const slug = await createTable(owner, EVERY_TYPE);
  const place = `${schema}.${slug}`;
  const [row] = await world.sql(
    `insert into ${place} (words) values ('abc') returning *, moment is not null as moment, day::text as day`,
  );
  expect(row).toMatchObject({
    id: expect.stringMatching(idPattern("rec")),
    created_by: "system",
    revision: 1,
    words: "abc",
    whole: "7",
    exact: "1.5",
    flag: false,
    day: "2026-02-28",
    moment: true,
    data: { a: ["it's"] },
    one: "it's",
    some: ["b"],
    person: null,
    count: "5",
  });
  for (const [columns, values, code] of [
    ["whole", "1", "23502"],
    ["words", "'abc'", "23505"],
    ["words", "'abcdef'", "23514"],
    ["words, whole", "'b', -1", "23514"],
    ["words, one", "'b', 'c'", "23514"],
    ['words, "some"', "'b', '{a,c}'", "23514"],
    ["words, count", "'b', 1", "428C9"],
  ]) {
    const insert = world.sql(`insert into ${place} (${columns}) values (${values})`);
    await expect(insert, `${columns} ${values}`).rejects.toMatchObject({ code });
  }
  const indexes = await world.sql(
    `select indexdef as text from pg_indexes where tablename = $1 order by 1`,
    [slug],
  );
  const forms = indexes.map(({ text }) => text.replace(/^(CREATE .*INDEX).* USING/, "$1"));
  expect(forms.toSorted()).toEqual(
    [
      "CREATE INDEX btree (created_at, id)",
      "CREATE INDEX btree (exact, id)",
      "CREATE INDEX btree (moment, id)",
      "CREATE INDEX btree (person, id)",
      "CREATE INDEX btree (whole, id)",
      "CREATE INDEX gin (data)",
      'CREATE INDEX gin ("some")',
      "CREATE UNIQUE INDEX btree (count)",
      "CREATE UNIQUE INDEX btree (id)",
      "CREATE UNIQUE INDEX btree (words)",
    ].toSorted(),
  );
});

test("ids that are made in SQL are ids that hold their time", async () => {
  const slug = await createTable(owner, []);
  const insert = `insert into ${schema}.${slug} default values returning id, created_at`;
  const [first, second] = [...(await world.sql(insert)), ...(await world.sql(insert))];
  for (const { id, created_at } of [first, second]) {
    expect(id).toMatch(new RegExp(idPattern("rec")));
    // The one is cut off at the millisecond, the other rounded.
    expect(Math.abs(timeOfId(id) - created_at.getTime())).toBeLessThanOrEqual(1);
  }
  expect(first.id.slice(14)).not.toBe(second.id.slice(14));
});

test.each([
  ["restrict", /^(23001|23503)$/, undefined],
  ["set_null", undefined, [{ parent: null }]],
  ["cascade", undefined, []],
])("the database executes %s of a reference", async (onDelete, code, left) => {
  const parent = await createTable(owner, []);
  const options = { table: parent, onDelete };
  const child = await createTable(owner, [{ name: "parent", type: "reference", options }]);
  const [{ id }] = await world.sql(`insert into ${schema}.${parent} default values returning id`);
  await world.sql(`insert into ${schema}.${child} (parent) values ($1)`, [id]);
  const missing = world.sql(`insert into ${schema}.${child} (parent) values ('rec_none')`);
  await expect(missing).rejects.toMatchObject({ code: "23503" });
  // By the application, which the policies of both tables bind.
  const here = { workspace: world.home, environment: "production" };
  const removal = asApp(here, (client) =>
    client.query(`delete from ${schema}.${parent} where id = $1`, [id]),
  );
  if (code === undefined) await removal;
  else await expect(removal).rejects.toMatchObject({ code: expect.stringMatching(code) });
  const rows = await world.sql(`select parent from ${schema}.${child}`);
  expect(rows).toEqual(left ?? [{ parent: id }]);
});

test("the application reads and writes only rows of its partition", async () => {
  const slug = await createTable(owner, [{ name: "a", type: "text" }]);
  await world.sql(`insert into ${schema}.${slug} (a) values ('secret')`);
  const { body } = await owner(`GET /api/v1/tables/${slug}`);
  const places = [`${schema}.${slug}`, `${schema}."${derivedName(body.data.id, "view", "")}"`];
  const other = await world.workspace("other");
  const here = { workspace: world.home, environment: "production" };
  for (const place of places) {
    const count = (client: pg.Client) =>
      client.query(`select a from ${place}`).then(({ rows }) => rows.length);
    expect(await asApp(here, count)).toBe(1);
    for (const partition of [
      { workspace: world.home, environment: "staging" },
      { workspace: other.key, environment: "production" },
    ]) {
      await asApp(partition, async (client) => {
        expect(await count(client)).toBe(0);
        for (const text of [
          `update ${place} set a = 'mine'`,
          `delete from ${place}`,
          `select a from ${place} for update`,
        ]) {
          expect((await client.query(text)).rowCount).toBe(0);
        }
        const insert = client.query(`insert into ${place} (a) values ('mine')`);
        await expect(insert).rejects.toMatchObject({
          code: expect.stringMatching(/^(42501|44000)$/),
        });
      });
    }
    await expect(asApp(undefined, count)).rejects.toMatchObject({ code: "42704" });
  }
  expect(await world.sql(`select a from ${schema}.${slug}`)).toEqual([{ a: "secret" }]);
});

test("the application changes structure only in an explicit context and only for the context's tables", async () => {
  const slug = await createTable(owner, [{ name: "a", type: "text" }]);
  const here = { workspace: world.home, environment: "production" };
  for (const text of [
    `alter table ${schema}.${slug} add column b text`,
    `drop table ${schema}.${slug}`,
    `create table ${schema}.x (a text)`,
    `alter table ${schema}.${slug} disable row level security`,
    `drop policy tenant on ${schema}.${slug}`,
    `truncate ${schema}.${slug}`,
  ]) {
    await asApp(here, async (client) => {
      const code = expect.stringMatching(/^(42501|42P01)$/);
      await expect(client.query(text)).rejects.toMatchObject({ code });
      const change = client.query("select change_structure('millrace_app', $1)", [text]);
      await expect(change).rejects.toMatchObject({ code });
    });
  }
});

test("filters on indexed numbers, lists and JSON are served by their indexes", async () => {
  const slug = await createTable(owner, EVERY_TYPE);
  const { body } = await owner(`GET /api/v1/tables/${slug}`);
  const view = `${schema}."${derivedName(body.data.id, "view", "")}"`;
  await asApp({ workspace: world.home, environment: "production" }, async (client) => {
    await client.query("set enable_seqscan = off");
    for (const [column, condition] of [
      ["whole", "whole = 5"],
      ["exact", "exact > 5"],
      ["moment", "moment > now()"],
      ["data", `data @> '{"a":1}'`],
      ["some", `"some" @> array['a']`],
    ] as const) {
      const { rows } = await client.query(`explain select id from ${view} where ${condition}`);
      const name = derivedName(body.data.id, "index", column);
      expect(JSON.stringify(rows), condition).toContain(name);
    }
  });
});

test("rules can reference only existing roles and fields, and members can view their permissions", async () => {
  const role = await owner("POST /api/v1/settings/roles", {
    name: "Clerk",
    permissions: ["tables:read", "records:read"],
  });
  const clerk = role.body.data.id as string;
  const rules = [
    { roles: ["agent", clerk], actions: ["read", "update"], where: { owner: "$user.id" } },
    {
      roles: ["*"],
      actions: ["read"],
      fields: ["title", "createdAt"],
      where: { due: { lt: "2026-01-01T01:00:00+01:00" } },
    },
  ];
  const slug = await createTable(
    owner,
    [
      { name: "title", type: "text" },
      { name: "owner", type: "reference", options: { table: "users" } },
      { name: "due", type: "timestamp" },
    ],
    { rules },
  );
  const kept = (await owner(`GET /api/v1/tables/${slug}`)).body.data.rules;
  expect(kept).toEqual([
    rules[0],
    { ...rules[1], where: { due: { lt: "2026-01-01T00:00:00.000Z" } } },
  ]);
  for (const [roles, access] of [
    [["owner"], ["read", "create", "update", "delete"]],
    [["agent"], ["read", "update"]],
    [[clerk], ["read", "update"]],
    [["viewer"], ["read"]],
  ] as const) {
    const member = await world.member(roles);
    const shown = await member(`GET /api/v1/tables/${slug}`);
    expect(shown.body.data.access).toEqual(access);
  }
  const change = (body: object) => owner(`PATCH /api/v1/tables/${slug}`, body);
  const held = await change({ dropColumns: ["owner"] });
  expect(held).toMatchObject({
    status: 409,
    body: { code: "column_in_rule", detail: expect.stringMatching(/^Rule 0 /) },
    events: [],
  });
  const renamed = await change({ renameColumns: { owner: "holder", title: "heading" } });
  expect(renamed.body.data.rules).toEqual([
    { ...kept[0], where: { holder: "$user.id" } },
    { ...kept[1], fields: ["heading", "createdAt"] },
  ]);
  const freed = await change({ dropColumns: ["holder"], rules: [renamed.body.data.rules[1]] });
  expect(freed).toMatchObject({ status: 200, events: ["table.updated"] });
  const strange = await change({
    rules: [{ roles: ["agent", "rol_00000000000000000000000000"], actions: ["read"] }],
  });
  expect(strange.body.errors).toEqual([{ path: "/rules/0/roles/1", message: "is not a role" }]);
});
