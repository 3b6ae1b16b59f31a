import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { migrationWorkspace } from "#domains/migrations/testing/workspace.ts";

const world = await useWorld();

const TABLE = {
  name: "Orders",
  description: "What was ordered",
  columns: [
    { name: "state", type: "enum", options: { values: ["new", "paid"] }, default: "new" },
    { name: "total", type: "decimal", indexed: true },
  ],
  indexes: [{ name: "by_both", columns: ["state", "total"] }],
  rules: [{ roles: ["*"], actions: ["read"], where: { state: "new" } }],
};

test.each<[name: string, body: object]>([
  ["a name", { name: TABLE.name }],
  ["a description", { description: TABLE.description }],
  ["rules", { rules: TABLE.rules }],
  ["a column", { alterColumns: [{ name: "total", type: "decimal", required: false }] }],
  ["options", { alterColumns: [{ name: "state", options: { values: ["new", "paid"] } }] }],
  ["the name of a column", { renameColumns: { total: "total" } }],
  ["an index", { addIndexes: [{ columns: ["total"] }] }],
])("%s that is there already changes nothing", async (_, body) => {
  const { owner } = await migrationWorkspace(world);
  await owner("POST /api/v1/tables", TABLE);
  const before = await owner("GET /api/v1/tables/orders");
  const answer = await owner("PATCH /api/v1/tables/orders", body);
  expect(answer).toMatchObject({ status: 200, headers: { etag: '"1"' }, events: [] });
  expect(answer.body).toEqual(before.body);
  expect((await owner("GET /api/v1/tables/orders")).headers["etag"]).toBe('"1"');
  expect(await owner("POST /api/v1/tables/orders/records", { total: 1 })).toMatchObject({
    status: 201,
  });
});

test("a migration without changes emits no table event", async () => {
  const { owner, write, apply, rollBack } = await migrationWorkspace(world);
  await owner("POST /api/v1/tables", TABLE);
  const id = await write([
    { op: "alter_table", table: "orders", name: TABLE.name },
    { op: "alter_column", table: "orders", column: "total", change: { indexed: true } },
  ]);
  expect(await apply(id)).toMatchObject({ status: 200, events: ["migration.applied"] });
  expect(await rollBack(id)).toMatchObject({ status: 200, events: ["migration.rolled_back"] });
  expect((await owner("GET /api/v1/tables/orders")).headers["etag"]).toBe('"1"');
});

test("replacing a column with an equal one is a change, because its data is lost", async () => {
  const { owner } = await migrationWorkspace(world);
  await owner("POST /api/v1/tables", { name: "T", columns: [{ name: "a", type: "text" }] });
  await owner("POST /api/v1/tables/t/records", { a: "x" });
  const replaced = { dropColumns: ["a"], addColumns: [{ name: "a", type: "text" }] };
  expect(await owner("PATCH /api/v1/tables/t", replaced)).toMatchObject({
    headers: { etag: '"2"' },
    events: ["table.updated"],
  });
});
