import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const member = await world.member(["member"]);
const RECORDS = "/api/v1/tables/notes/records";
const search = { search: true };
const columns = [
  { name: "title", type: "text", options: search },
  { name: "body", type: "text", options: search },
  { name: "other", type: "text" },
];
const rules = [{ roles: ["member"], actions: ["read"], fields: ["title"] }];
await owner("POST /api/v1/tables", { name: "notes", slug: "notes", columns, rules });
for (const [title, body, other] of [
  ["Router down", "The router in Zürich is down, the router!", "cable"],
  ["Cable", "A router was replaced", "router"],
  ["Printer", "Prints nothing", "router"],
  ["Órgano", "l'été; 'quoted' & | ! <-> (", null],
]) {
  await owner(`POST ${RECORDS}`, { title, body, other });
}
const find = async (q: string, by = owner, more = ""): Promise<string[]> => {
  const { status, body } = await by(`GET ${RECORDS}?q=${encodeURIComponent(q)}${more}`);
  expect(body.errors ?? status).toBe(200);
  return body.data.map(({ title }: any) => title);
};

test("finds words by prefix in the chosen columns, best match first, with pages and other sort orders", async () => {
  expect(await find("ROUTER")).toEqual(["Router down", "Cable"]);
  expect(await find("rout repl")).toEqual(["Cable"]);
  expect(await find("zür")).toEqual(["Router down"]);
  expect(await find("quoted & | !")).toEqual(["Órgano"]);
  expect(await find("' \\ : *")).toEqual([]);
  expect(await find("router", owner, "&sort=title")).toEqual(["Cable", "Router down"]);
  const first = await owner(`GET ${RECORDS}?q=router&limit=1`);
  const second = await owner(
    `GET ${RECORDS}?q=router&limit=1&after=${encodeURIComponent(first.body.pagination.nextCursor)}`,
  );
  expect([...first.body.data, ...second.body.data].map(({ title }: any) => title)).toEqual([
    "Router down",
    "Cable",
  ]);
});

test("a search uses the chosen fields, also without an index, but no hidden field", async () => {
  expect(await find("router", owner, "&searchIn=title")).toEqual(["Router down"]);
  expect(await find("outer", owner, "&searchIn=other,createdAt")).toEqual(["Printer", "Cable"]);
  expect(await find("outer", member, "&searchIn=other")).toEqual([]);
  expect(await find("2026", owner, "&searchIn=createdAt")).toEqual([]);
  const { status, body } = await owner(`GET ${RECORDS}?q=a&searchIn=title,nowhere`);
  expect([status, body.errors]).toEqual([
    422,
    [{ path: "?searchIn", message: 'contains "nowhere", which is not a field of this table' }],
  ]);
});

test("a search ignores hidden fields, and uses the index of visible ones", async () => {
  expect(await find("replaced", member)).toEqual([]);
  expect(await find("router", member)).toEqual(["Router down"]);
  const indexes = await world.sql("select indexdef from pg_indexes where indexname like 'Words_%'");
  expect(indexes).toHaveLength(2);
  await owner("PATCH /api/v1/tables/notes", {
    renameColumns: { body: "text" },
    alterColumns: [{ name: "title", options: {} }],
  });
  expect(await world.sql("select 1 from pg_indexes where indexname like 'Words_%'")).toHaveLength(
    1,
  );
  expect(await find("printer")).toEqual([]);
  await owner("PATCH /api/v1/tables/notes", { dropColumns: ["text"] });
  expect(await find("rout")).toEqual(["Printer", "Cable", "Router down"]);
});
