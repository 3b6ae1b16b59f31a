/** Schema changes on another node, while this node uses the cached schema. */
import { expect, test } from "vitest";
import { startNode, send } from "#domains/bus/testing/node.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const node = await useFixture(startNode(world));

const columns = [
  { name: "code", type: "text", unique: true },
  { name: "other", type: "text" },
  { name: "amount", type: "decimal", options: { scale: 1 } },
];

/** A table with two records, which this node has cached. */
async function known(): Promise<FilledTable> {
  const records = [
    { code: "a", other: "x", amount: 1 },
    { code: "b", other: "y", amount: 2 },
  ];
  const table = await createFilledTable(world, owner, { columns }, records);
  expect((await owner(`GET ${table.path}`)).status).toBe(200);
  return table;
}

async function change({ slug }: FilledTable, body: object): Promise<void> {
  const { status } = await send(node.app, owner, `PATCH /api/v1/tables/${slug}`, body);
  expect(status).toBe(200);
}
const upsert = ({ path }: FilledTable, key: string, record: object) =>
  owner(`PUT ${path}/bulk`, { key, records: [record] });
const filter = (condition: object) => encodeURIComponent(JSON.stringify(condition));

test("an upsert uses the current type of a column", async () => {
  const table = await known();
  await change(table, { alterColumns: [{ name: "amount", type: "integer", options: {} }] });
  expect(await upsert(table, "code", { code: "a", amount: 1.5 })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/records/0/amount" }] },
    events: [],
  });
});

test("upsert accepts a new unique key and rejects a key without uniqueness", async () => {
  const table = await known();
  await change(table, { alterColumns: [{ name: "other", unique: true }] });
  expect(await upsert(table, "other", { other: "x", amount: 3 })).toMatchObject({
    status: 200,
    body: { data: { updated: 1 } },
  });
  await change(table, { dropIndexes: [{ columns: ["other"] }] });
  expect(await upsert(table, "other", { other: "new" })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/key" }] },
    events: [],
  });
});

test("bulk changes and deletions work after a column was renamed or added elsewhere", async () => {
  const table = await known();
  await change(table, { renameColumns: { amount: "sum" } });
  expect(await owner(`DELETE ${table.path}/bulk?filter=${filter({ code: "a" })}`)).toMatchObject({
    status: 200,
    body: { data: { deleted: 1 } },
    events: ["record.deleted"],
  });
  await change(table, { addColumns: [{ name: "done", type: "boolean", default: false }] });
  const body = { filter: { done: false }, set: { other: "z" } };
  expect(await owner(`PATCH ${table.path}/bulk`, body)).toMatchObject({
    status: 200,
    body: { data: { updated: 1 } },
    events: ["record.updated"],
  });
  await change(table, { addColumns: [{ name: "late", type: "boolean", default: true }] });
  expect(await owner(`DELETE ${table.path}/bulk?filter=${filter({ late: true })}`)).toMatchObject({
    status: 200,
    body: { data: { deleted: 1 } },
  });
});
