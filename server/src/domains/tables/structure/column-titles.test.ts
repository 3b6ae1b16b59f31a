import fc from "fast-check";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { COLUMN_PATTERN, TITLE_CHARACTERS_MAX } from "../table.ts";
import { tries } from "#kernel/testing/thorough.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

interface Titled {
  readonly name: string;
  readonly title: string;
}

const titlesOf = (columns: readonly Titled[]) => columns.map(({ name, title }) => [name, title]);

async function createTable(slug: string, columns: readonly object[]) {
  const made = await owner("POST /api/v1/tables", { name: slug, slug, columns });
  expect([made.status, made.events]).toEqual([201, ["table.created"]]);
  return made.body.data;
}

async function tableOf(slug: string) {
  return (await owner(`GET /api/v1/tables/${slug}`)).body.data;
}

const lastEvent = async () => (await owner("GET /api/v1/audit?limit=1")).body.data[0];

test("titles are kept as given, and names are derived from them", async () => {
  const made = await createTable("assets", [
    { title: "SKU", type: "text" },
    { title: "Order #", type: "text" },
    { title: "E-Mail", type: "email" },
    { title: " Price € ", type: "decimal" },
    { title: "Owner (e-mail)", name: "owner", type: "email" },
    { title: "名前", type: "text" },
    { title: "Sku", type: "text" },
    { name: "boughtOn", type: "date" },
  ]);
  const expected = [
    ["sku", "SKU"],
    ["order", "Order #"],
    ["email", "E-Mail"],
    ["price", " Price € "],
    ["owner", "Owner (e-mail)"],
    ["column7", "名前"],
    ["sku2", "Sku"],
    ["boughtOn", "Bought on"],
  ];
  expect(titlesOf(made.columns)).toEqual(expected);
  expect(titlesOf((await tableOf("assets")).columns)).toEqual(expected);
  expect(titlesOf((await lastEvent()).data.columns)).toEqual(expected);
});

test("a title changes independently of the name, and can be derived again", async () => {
  await createTable("stock", [{ title: "Order #", type: "text" }]);
  const change = async (body: object) => {
    const { status, events, body: answer } = await owner("PATCH /api/v1/tables/stock", body);
    expect([status, events]).toEqual([200, ["table.updated"]]);
    return titlesOf(answer.data.columns);
  };
  const alterTitle = (title: string | null) => change({ alterColumns: [{ name: "order", title }] });
  expect(await alterTitle("Order №")).toEqual([["order", "Order №"]]);
  const { type, data } = await lastEvent();
  expect([type, titlesOf(data.after.columns)]).toEqual(["table.updated", [["order", "Order №"]]]);
  expect(await change({ renameColumns: { order: "number" } })).toEqual([["number", "Order №"]]);
  expect(await change({ renameColumns: { number: "order" } })).toEqual([["order", "Order №"]]);
  expect(await alterTitle(null)).toEqual([["order", "Order"]]);
  // A derived title follows the name.
  expect(await change({ renameColumns: { order: "orderNumber" } })).toEqual([
    ["orderNumber", "Order number"],
  ]);
  expect(await change({ addColumns: [{ title: "Order number", type: "text" }] })).toEqual([
    ["orderNumber", "Order number"],
    ["orderNumber2", "Order number"],
  ]);
  const swapped = await change({
    dropColumns: ["orderNumber2"],
    addColumns: [{ title: "ORDER NUMBER 2", type: "text" }],
  });
  expect(swapped.at(-1)).toEqual(["orderNumber2", "ORDER NUMBER 2"]);
});

test("a title alone changes nothing that statements on records depend on", async () => {
  await createTable("quiet", [{ title: "Weight", type: "decimal" }]);
  const { body } = await owner("POST /api/v1/tables/quiet/records", { weight: 2 });
  await owner("PATCH /api/v1/tables/quiet", {
    alterColumns: [{ name: "weight", title: "Weight (kg)" }],
  });
  const { id, revision: _, ...record } = body.data;
  expect((await owner(`GET /api/v1/tables/quiet/records/${id}`)).body.data).toMatchObject(record);
});

test.each([
  ["", "/columns/0/title"],
  ["  ", "/columns/0/title"],
  ["x".repeat(TITLE_CHARACTERS_MAX + 1), "/columns/0/title"],
  [7, "/columns/0/title"],
  [undefined, "/columns/0/name"],
])("the title %j is refused with its path", async (title, path) => {
  const columns = [{ title, type: "text" }];
  const { status, body, events } = await owner("POST /api/v1/tables", { name: "Bad", columns });
  expect([status, body.errors[0].path, events]).toEqual([422, path, []]);
});

test("a title change can be previewed, undone and reverted", async () => {
  await createTable("undone", [{ name: "sku", title: "SKU", type: "text" }]);
  const change = {
    alterColumns: [{ name: "sku", title: "Article no." }],
    addColumns: [{ title: "Price €", type: "decimal" }],
  };
  const tried = await owner("PATCH /api/v1/tables/undone?dryRun=true", change);
  expect([tried.status, tried.events]).toEqual([200, []]);
  expect(titlesOf((await tableOf("undone")).columns)).toEqual([["sku", "SKU"]]);
  const steps = [
    { op: "alter_column", table: "undone", column: "sku", change: { title: "Article no." } },
    { op: "add_column", table: "undone", column: { title: "Price €", type: "decimal" } },
    { op: "rename_column", table: "undone", from: "sku", to: "articleNo" },
  ];
  const { body } = await owner("POST /api/v1/migrations", { name: "Titles", up: steps });
  expect(body.data.up[1].column).toMatchObject({ name: "price", title: "Price €" });
  const { id } = body.data;
  const applied = await owner(`POST /api/v1/migrations/${id}/apply`);
  expect(applied.status).toBe(200);
  expect(titlesOf((await tableOf("undone")).columns)).toEqual([
    ["articleNo", "Article no."],
    ["price", "Price €"],
  ]);
  const back = await owner(`POST /api/v1/migrations/${id}/rollback`);
  expect(back.status).toBe(200);
  expect(titlesOf((await tableOf("undone")).columns)).toEqual([["sku", "SKU"]]);
});

test("tables of earlier releases have titles, too", async () => {
  await createTable("older", [{ name: "sKU", type: "text" }]);
  await world.sql(
    `update user_tables set columns = (select jsonb_agg(c - 'title') from jsonb_array_elements(columns) c)
      where slug = 'older'`,
  );
  expect(titlesOf((await tableOf("older")).columns)).toEqual([["sKU", "SKU"]]);
});

let tables = 0;
const anyTitle = fc.oneof(
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((title) => title.trim() !== "" && !title.includes("\0")),
  fc.constantFrom("SKU", "sku", "id", "ID", "Created at", "and", "=1+1", "'=1", "-", '"', "a,b"),
  fc.constantFrom("Order #", "Order", "Column 1", "name", "line\nbreak", " x ", "🙂".repeat(100)),
);

/**
 * Creates a table with the titles. Expects that its exported records and its generated code produce the same table.
 */
async function expectSameAfter(titles: readonly string[]): Promise<void> {
  tables += 1;
  const slug = `any_${tables}`;
  const columns = titles.map((title) => ({ title, type: "text" }));
  const { columns: made } = await createTable(slug, columns);
  const names: readonly string[] = made.map(({ name }: Titled) => name);
  expect(made.map(({ title }: Titled) => title)).toEqual(titles);
  for (const name of names) expect(name).toMatch(new RegExp(COLUMN_PATTERN));
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(titles.length);

  const record = Object.fromEntries(names.map((name, n) => [name, `v${n}`]));
  const path = `/api/v1/tables/${slug}/records`;
  await owner(`POST ${path}`, record);
  const csv = { "content-type": "text/csv; charset=utf-8" };
  for (const header of ["titles", "names"]) {
    const file = (await owner(`GET ${path}/export?header=${header}`)).body;
    const { body } = await owner(`POST ${path}/import?header=${header}`, file, csv);
    expect(body.errors ?? body.data.errors).toEqual([]);
  }
  const { data } = (await owner(`GET ${path}`)).body;
  expect(data).toMatchObject([record, record, record, record]);

  const { items } = (await owner("GET /api/v1/code/export?kinds=tables")).body.data;
  const own = items.tables.filter((table: { slug: string }) => table.slug === slug);
  const plan = await owner("POST /api/v1/code/apply?dryRun=true", {
    project: "any",
    items: { tables: own },
  });
  const { data: planned } = plan.body;
  expect((planned.answer?.body.data ?? planned).changes).toEqual([]);
  await owner(`DELETE /api/v1/tables/${slug}`);
}

const WITH_SYSTEM_TITLES = [
  ["id", "ID", "Order #"],
  ["ID", "ID", "id"],
  ["createdAt", "Created at", "revision", "Revision", "updatedAt", "createdBy", "Created by"],
  ["id2", "id", "ID [id]", "createdAt [createdAt2]"],
  ["b", "a", "B", "A", "a2", "b2"],
];

test.each(WITH_SYSTEM_TITLES.map((titles) => ({ titles })))(
  "titles that are also names or titles of other fields come back exactly: $titles",
  ({ titles }) => expectSameAfter(titles),
);

test("any titles come back exactly through the API, a CSV file, and a folder of code", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTitle, { minLength: 1, maxLength: 12 }), expectSameAfter),
    { numRuns: tries(25) },
  );
});

test("a field error has the name in its path, and the title in its message", async () => {
  const path = "/api/v1/tables/prices/records";
  await createTable("prices", [
    { title: "Article №", type: "text", required: true, unique: true },
    { title: "Price €", type: "integer" },
  ]);
  const refused = async (route: string, body: object) => {
    const answer = await owner(route, body);
    expect(answer.events).toEqual([]);
    return [answer.status, answer.body.detail, answer.body.errors[0].path];
  };
  const article = { articleNo: "A" };
  expect(await refused(`POST ${path}`, {})).toEqual([422, "Article № is required", "/articleNo"]);
  const records = [article, { articleNo: "B", price: "x" }];
  expect(await refused(`POST ${path}/bulk`, { records })).toEqual([
    422,
    expect.stringMatching(/^Record 2: Price € must be a/),
    "/records/1/price",
  ]);
  expect((await owner(`POST ${path}`, article)).status).toBe(201);
  expect(await refused(`POST ${path}`, article)).toEqual([
    409,
    "Article № is already used by another record",
    "/articleNo",
  ]);
});
