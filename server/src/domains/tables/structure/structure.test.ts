import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { dumpTables, schemaSql, createTable } from "../testing/tables.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

async function lastEvent(): Promise<any> {
  return (await owner("GET /api/v1/audit?limit=1")).body.data[0];
}

const PLAIN = { required: false, unique: false, indexed: false, default: null, options: {} };

test("a table is created, read, listed, changed and dropped, each with an event", async () => {
  const made = await owner("POST /api/v1/tables", {
    name: "Orders & Café",
    description: "What was sold",
    columns: [
      { name: "title", type: "text", required: true, description: "In a few words" },
      { name: "price", type: "decimal", default: 1 },
    ],
  });
  expect(made).toMatchObject({
    status: 201,
    events: ["table.created"],
    headers: { etag: '"1"', location: "/api/v1/tables/orders_cafe" },
  });
  const { id, createdAt, createdBy } = made.body.data;
  const table = {
    id,
    slug: "orders_cafe",
    name: "Orders & Café",
    description: "What was sold",
    columns: [
      {
        ...PLAIN,
        name: "title",
        title: "Title",
        type: "text",
        required: true,
        description: "In a few words",
      },
      { ...PLAIN, name: "price", title: "Price", type: "decimal", default: 1, description: "" },
    ],
    indexes: [],
    rules: [],
    createdBy,
    createdAt,
    updatedAt: createdAt,
  };
  const access = ["read", "create", "update", "delete"];
  expect(made.body.data).toEqual({ ...table, access });
  expect(await lastEvent()).toMatchObject({
    type: "table.created",
    environment: "production",
    resource: { type: "table", id, displayName: table.name },
    data: table,
  });

  const read = await owner("GET /api/v1/tables/orders_cafe");
  expect(read).toMatchObject({ status: 200, headers: { etag: '"1"' } });
  expect(read.body).toEqual(made.body);

  world.clock.advance(1_000);
  const changed = await owner(
    "PATCH /api/v1/tables/orders_cafe",
    {
      name: "Orders",
      renameColumns: { title: "name" },
      alterColumns: [{ name: "price", type: "text", default: null, options: { maxLength: 20 } }],
      addColumns: [{ name: "paid", type: "boolean", default: false }],
      addIndexes: [{ columns: ["name", "paid"] }],
    },
    { "if-match": '"1"' },
  );
  expect(changed).toMatchObject({
    status: 200,
    events: ["table.updated"],
    headers: { etag: '"2"' },
  });
  const { updatedAt } = changed.body.data;
  expect(updatedAt > createdAt).toBe(true);
  const after = {
    ...table,
    name: "Orders",
    columns: [
      { ...table.columns[0], name: "name", title: "Name" },
      {
        ...PLAIN,
        name: "price",
        title: "Price",
        type: "text",
        options: { maxLength: 20 },
        description: "",
      },
      { ...PLAIN, name: "paid", title: "Paid", type: "boolean", default: false, description: "" },
    ],
    indexes: [{ name: "name_paid_idx", columns: ["name", "paid"], unique: false }],
    updatedAt,
  };
  expect(changed.body.data).toEqual({ ...after, access });
  const told = await lastEvent();
  expect(told.type).toBe("table.updated");
  expect(told.data).toEqual({ before: table, after, changes: ["name", "columns", "indexes"] });

  const gone = await owner("DELETE /api/v1/tables/orders_cafe", undefined, { "if-match": '"2"' });
  expect(gone).toMatchObject({ status: 204, events: ["table.dropped"] });
  expect((await lastEvent()).data).toEqual(after);
  for (const route of ["GET", "DELETE"]) {
    const again = await owner(`${route} /api/v1/tables/orders_cafe`);
    expect(again).toMatchObject({ status: 404, body: { code: "not_found" }, events: [] });
  }
  expect(JSON.stringify(await dumpTables(world))).not.toContain("orders_cafe");
});

test("the newest table is listed first, page by page, and the statistics count them", async () => {
  const elsewhere = await world.workspace("lists");
  const asker = await world.member(["owner"], elsewhere);
  const slugs: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    world.clock.advance(10);
    slugs.unshift(await createTable(asker, []));
  }
  const seen: string[] = [];
  let after = "";
  do {
    const { body } = await asker(`GET /api/v1/tables?limit=2${after}`);
    seen.push(...body.data.map(({ slug }: { slug: string }) => slug));
    after = body.pagination.hasMore ? `&after=${body.pagination.nextCursor}` : "";
  } while (after !== "");
  expect(seen).toEqual(slugs);
  const stats = await asker("GET /api/v1/workspaces/lists/stats");
  expect(stats.body.data.counts.tables).toBe(3);
});

test("tables of different environments are independent", async () => {
  const staging = { "x-environment": "staging" };
  const table = { name: "Apart", columns: [{ name: "a", type: "text" }] };
  expect((await owner("POST /api/v1/tables", table)).status).toBe(201);
  const other = { ...table, columns: [{ name: "b", type: "integer" }] };
  expect((await owner("POST /api/v1/tables", other, staging)).status).toBe(201);
  const shown = await owner("GET /api/v1/tables/apart", undefined, staging);
  expect(shown.body.data.columns).toMatchObject([{ name: "b" }]);
  expect((await lastEvent()).environment).toBe("production");
  const dropped = await owner("DELETE /api/v1/tables/apart", undefined, staging);
  expect(dropped).toMatchObject({ status: 204, events: ["table.dropped"] });
  expect((await owner("GET /api/v1/tables/apart")).status).toBe(200);
  const places = await world.sql(
    "select table_schema from information_schema.tables where table_name = 'apart'",
  );
  expect(places.map(({ table_schema }) => `"${table_schema}"`)).toEqual([schemaSql(world.home)]);
});

test("a slug is derived from the name or given, and must be unique", async () => {
  const create = (table: object) => owner("POST /api/v1/tables", { columns: [], ...table });
  expect((await create({ name: "3. Stock (EU)" })).body.data.slug).toBe("stock_eu");
  expect(await create({ name: "Stock EU" })).toMatchObject({
    status: 409,
    body: { code: "table_slug_taken" },
    events: [],
  });
  for (const [table, message] of [
    [{ name: "注文" }, "is required, because it can't be derived from the name"],
    [{ name: "Users" }, "is reserved"],
    [{ name: "x", slug: "pg_stat" }, "is reserved"],
    [{ name: "x", slug: "import" }, "is reserved"],
    [{ name: "x", slug: 'a"b' }, "does not have the right form: ^[a-z][a-z0-9_-]{0,62}$"],
  ] as const) {
    expect(await create(table)).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ path: "/slug", message }] },
      events: [],
    });
  }
});

test("names that mean something to PostgreSQL work as columns and tables", async () => {
  const long = `z${"y".repeat(62)}`;
  const names = ["select", "table", "User", "userName", "order", "null", "default", long];
  const columns = names.map((name) => ({ name, type: "text", unique: true, indexed: true }));
  for (const slug of ["order", "select", "a-b", `t${"-".repeat(62)}`]) {
    expect((await owner("POST /api/v1/tables", { name: slug, slug, columns })).status).toBe(201);
    const changed = await owner(`PATCH /api/v1/tables/${slug}`, {
      renameColumns: [
        { from: "select", to: "where" },
        { from: "where", to: "SELECT" },
      ],
      dropColumns: ["order"],
      alterColumns: [{ name: long, type: "integer" }],
      addIndexes: [{ columns: ["User", "null"], unique: true }],
    });
    expect(changed).toMatchObject({ status: 200, events: ["table.updated"] });
    expect((await owner(`DELETE /api/v1/tables/${slug}`)).status).toBe(204);
  }
});

test("reports errors with their path in the body, and changes nothing", async () => {
  const slug = await createTable(owner, [
    { name: "a", type: "text" },
    { name: "b", type: "enum", options: { values: ["x"] } },
  ]);
  const before = await dumpTables(world);
  const create = (table: object) => owner("POST /api/v1/tables", { name: "New", ...table });
  const change = (body: object) => owner(`PATCH /api/v1/tables/${slug}`, body);
  const reference = (table: string) => ({ name: "r", type: "reference", options: { table } });
  const rule = { roles: ["agent"], actions: ["read"] };
  const many = Array.from({ length: 199 }, (_, index) => ({ name: `c${index}`, type: "text" }));
  for (const [answer, ...paths] of [
    [await create({ columns: [{ name: 'a"b', type: "text" }] }), "/columns/0/name"],
    [await create({ columns: [{ name: "a", type: "varchar" }] }), "/columns/0/type"],
    [await create({ columns: [reference("nothing")] }), "/columns/0/options/table"],
    [await create({ columns: [...many, ...many] }), "/columns"],
    [
      await create({ columns: [], indexes: [{ columns: ["a", "b"] }] }),
      "/indexes/0/columns/0",
      "/indexes/0/columns/1",
    ],
    [
      await create({ columns: [], rules: [{ ...rule, roles: ["*", "rol_none"] }] }),
      "/rules/0/roles/1",
    ],
    [await create({ columns: [], rules: [{ ...rule, fields: ["a"] }] }), "/rules/0/fields/0"],
    [
      await change({
        addColumns: [
          { name: "c", type: "text" },
          { name: "A", type: "text" },
        ],
      }),
      "/addColumns/1/name",
    ],
    [await change({ addColumns: many }), "/addColumns/198"],
    [
      await change({ addColumns: [{ name: "c", type: "enum", options: {} }] }),
      "/addColumns/0/options/values",
    ],
    [
      await change({ alterColumns: [{ name: "b", options: { values: [] } }] }),
      "/alterColumns/0/options/values",
    ],
    [await change({ alterColumns: [{ name: "none", required: true }] }), "/alterColumns/0/name"],
    [
      await change({
        alterColumns: [
          { name: "a", type: "boolean" },
          { name: "a", type: "date" },
        ],
      }),
      "/alterColumns/1/type",
    ],
    [await change({ dropColumns: ["a", "a"] }), "/dropColumns/1"],
    [await change({ renameColumns: [{ from: "a", to: "b" }] }), "/renameColumns/0/to"],
    [await change({ renameColumns: { none: "c" } }), "/renameColumns/none"],
    [await change({ renameColumns: { a: "xmin" } }), "/renameColumns/a"],
    [await change({ dropIndexes: [{ name: "none" }] }), "/dropIndexes/0/name"],
    [await change({ addIndexes: [{ columns: ["a", "none"] }] }), "/addIndexes/0/columns/1"],
    [await change({ rules: [{ ...rule, where: { a: 7 } }] }), "/rules/0/where/a"],
  ] as const) {
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
  }
  expect(await dumpTables(world)).toEqual(before);
});

test("changes of one table are serialized, and a change of an outdated version is rejected", async () => {
  const slug = await createTable(owner, []);
  const add = (name: string, headers: Record<string, string> = {}) =>
    owner(`PATCH /api/v1/tables/${slug}`, { addColumns: [{ name, type: "text" }] }, headers);
  const names = Array.from({ length: 8 }, (_, index) => `c${index}`);
  const answers = await Promise.all(names.map((name) => add(name)));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  const { body, headers } = await owner(`GET /api/v1/tables/${slug}`);
  expect(body.data.columns.map(({ name }: { name: string }) => name).toSorted()).toEqual(names);
  expect(headers["etag"]).toBe('"9"');

  const rivals = await Promise.all(["x", "y", "z"].map((name) => add(name, { "if-match": '"9"' })));
  expect(rivals.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  expect(rivals.flatMap(({ events }) => events)).toEqual(["table.updated"]);
  const [known] = await world.sql("select columns from user_tables where slug = $1", [slug]);
  const physical = await world.sql(
    `select attname as name from pg_attribute where attrelid = '${schemaSql(world.home)}.${slug}'::regclass
        and attnum > 5 and not attisdropped`,
  );
  expect(physical.map(({ name }) => name).toSorted()).toEqual(
    known.columns.map(({ name }: { name: string }) => name).toSorted(),
  );
});

test("one of several concurrent creations of the same slug succeeds", async () => {
  const table = { name: "Race", columns: [{ name: "a", type: "text" }] };
  const fresh = await world.member(["owner"], await world.workspace("race"));
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => fresh("POST /api/v1/tables", table)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  expect(answers.flatMap(({ events }) => events)).toEqual(["table.created"]);
});

test("there are at most 1000 tables", async () => {
  const { key } = await world.workspace("full");
  const asker = await world.member(["owner"], { key, slug: "full" });
  await world.sql(
    `insert into user_tables (id, workspace_id, environment, slug, name, columns, created_by, created_at, updated_at)
     select 'tbl_' || n, $1, 'production', 't' || n, 't', '[]', 'x', now(), now() from generate_series(1, 999) n`,
    [key],
  );
  await createTable(asker, []);
  const full = await asker("POST /api/v1/tables", { name: "One more", columns: [] });
  expect(full).toMatchObject({ status: 409, body: { code: "too_many_tables" }, events: [] });
});

test("a table that others refer to is not dropped; references go with who refers", async () => {
  const parent = await createTable(owner, []);
  const self = { name: "self", type: "reference", options: { table: parent } };
  expect((await owner(`PATCH /api/v1/tables/${parent}`, { addColumns: [self] })).status).toBe(200);
  const child = await createTable(owner, [
    { name: "parent", type: "reference", options: { table: parent } },
    { name: "person", type: "reference", options: { table: "users" } },
  ]);
  const held = await owner(`DELETE /api/v1/tables/${parent}`);
  expect(held).toMatchObject({
    status: 409,
    body: { code: "table_referenced", detail: expect.stringContaining(`${child}.parent`) },
    events: [],
  });
  expect((await owner(`DELETE /api/v1/tables/${child}`)).status).toBe(204);
  expect((await owner(`DELETE /api/v1/tables/${parent}`)).status).toBe(204);
});
