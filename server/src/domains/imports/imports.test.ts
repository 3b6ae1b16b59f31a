import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { upload } from "../files/testing/upload.ts";
import { messyRows, toText } from "./testing/messy-file.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const member = await world.member(["member"]);
const colleague = await world.member(["member"]);

const IMPORTS = "/api/v1/imports";

async function begin(text: string, body: object = {}, by = owner): Promise<string> {
  const { body: file } = await upload(world, by, Buffer.from(text), { name: "orders.csv" });
  const answer = await by(`POST ${IMPORTS}`, { fileId: file.data.id, ...body });
  expect([answer.status, answer.events]).toEqual([201, ["import.created"]]);
  return answer.body.data.id as string;
}

async function reach(id: string, state: string, by = owner): Promise<any> {
  return until(async () => {
    const { data } = (await by(`GET ${IMPORTS}/${id}`)).body;
    if (data.state === "failed" && state !== "failed") throw new Error(data.reason);
    return data.state === state && data;
  });
}

async function act(id: string, verb: string, state: string, by = owner): Promise<any> {
  const answer = await by(`POST ${IMPORTS}/${id}/${verb}`);
  expect([
    answer.body.errors ?? answer.status,
    answer.events.filter((type) => type.startsWith("import")),
  ]).toEqual([202, ["import.started"]]);
  return reach(id, state, by);
}

const eventsOf = async (id: string): Promise<string[]> =>
  (
    await world.sql("select type from events where resource_id = $1 order by epoch, xid, seq", [id])
  ).map(({ type }) => type);
const recordsOf = async (slug: string): Promise<any[]> =>
  (await owner(`GET /api/v1/tables/${slug}/records?sort=id&limit=1000`)).body.data;

/** Enough for several batches. */
const LINES = 1_200;

test("a messy file becomes a typed table; invalid lines are reported, corrected and imported; the import is undone", async () => {
  const rows = messyRows(LINES);
  const broken = rows.filter(({ isBroken }) => isBroken).length;
  const id = await begin(toText(rows, ";"));
  const ready = await reach(id, "ready");
  expect([ready.lines, ready.mapping.length, ready.format.separator]).toEqual([LINES, 11, ";"]);
  // By default no type loses characters. Here all suggestions are accepted.
  const mapping = ready.columns.map(
    ({ suggestion, type, options, dateOrder, ...guess }: any, column: number) => ({
      ...ready.mapping[column],
      type: suggestion?.type ?? type,
      options: suggestion?.options ?? options,
      ...(dateOrder && { dateOrder }),
      ...(guess.decimalMark && { decimalMark: guess.decimalMark }),
    }),
  );
  const { status, body } = await owner(`PATCH ${IMPORTS}/${id}`, {
    newTable: { slug: "messy", name: "Messy" },
    mapping,
  });
  expect(body.errors ?? status).toBe(200);
  const checked = await act(id, "check", "ready");
  expect(checked.check).toMatchObject({ read: LINES, created: LINES - broken, invalid: broken });
  const done = await act(id, "start", "completed");
  expect(done.counts).toMatchObject({
    read: LINES,
    created: LINES - broken,
    updated: 0,
    invalid: broken,
  });
  expect(broken / LINES).toBeLessThan(0.01);
  const { body: lines } = await owner(`GET ${IMPORTS}/${id}/lines?limit=200`);
  expect(lines.data).toHaveLength(broken);
  const [first] = lines.data;
  expect(first.errors).toEqual([
    { path: "/bestelltAm", message: expect.stringContaining("must be a date") },
  ]);
  const cells = first.cells.with(1, "24.12.2025");
  for (const [line, given] of [
    [3_000_000_000, cells],
    [first.line, ["x".repeat(65_536)]],
  ]) {
    const refused = await owner(`POST ${IMPORTS}/${id}/lines`, { lines: [{ line, cells: given }] });
    expect([refused.status, refused.events]).toEqual([422, []]);
  }
  const corrected = await owner(`POST ${IMPORTS}/${id}/lines`, {
    lines: [{ line: first.line, cells }],
  });
  expect([corrected.status, corrected.events, corrected.body.data.corrections]).toEqual([
    200,
    ["import.updated"],
    1,
  ]);
  const again = await act(id, "start", "completed");
  expect(again.counts).toMatchObject({ created: LINES + 1 - broken, invalid: broken - 1 });
  const found = await owner(
    `GET /api/v1/tables/messy/records?filter=${encodeURIComponent('{"bestelltAm":"2025-12-24"}')}`,
  );
  expect(found.body.data).toMatchObject([
    { nummer: cells[0], bezahlt: expect.any(Boolean), status: expect.any(String) },
  ]);
  await world.settled();
  expect((await eventsOf(id)).filter((type, at, all) => all[at - 1] !== type)).toEqual([
    "import.created",
    "import.analyzed",
    "import.updated",
    "import.started",
    "import.progressed",
    "import.checked",
    "import.started",
    "import.progressed",
    "import.completed",
    "import.updated",
    "import.started",
    "import.completed",
  ]);
  const back = await act(id, "take-back", "taken_back");
  expect(back.counts).toMatchObject({ takenBack: LINES + 1 - broken, refused: 0 });
  expect((await owner("GET /api/v1/tables/messy")).status).toBe(404);
  const gone = await owner(`DELETE ${IMPORTS}/${id}`);
  expect([gone.status, gone.events]).toEqual([204, ["import.deleted"]]);
});

test("an import by key updates records; its undo only restores values that have not changed since", async () => {
  const columns = [
    { name: "number", type: "text", unique: true },
    { name: "total", type: "decimal" },
    { name: "customer", type: "reference", options: { table: "customers" } },
    { name: "owner", type: "user" },
  ];
  await owner("POST /api/v1/tables", {
    name: "customers",
    slug: "customers",
    columns: [{ name: "name", type: "text" }],
  });
  await owner("POST /api/v1/tables", { name: "orders", slug: "orders", columns });
  const acme = (await owner("POST /api/v1/tables/customers/records", { name: "Acme" })).body.data
    .id;
  for (const number of ["A-1", "A-2", "A-3"])
    await owner("POST /api/v1/tables/orders/records", { number, total: 1 });
  const id = await begin(
    `Number;Total;Customer;Owner\nA-1;10,5;acme;${member.userId}@EXAMPLE.com\nA-2;20;ACME;\nA-3;1;;\nA-4;40;;\nA-5;x;nobody;\n`,
    { table: "orders" },
  );
  const ready = await reach(id, "ready");
  expect(ready.mapping.map(({ field }: any) => field)).toEqual([
    "number",
    "total",
    "customer",
    "owner",
  ]);
  const mapping = ready.mapping.with(2, { ...ready.mapping[2], match: "name" });
  expect(
    (await owner(`PATCH ${IMPORTS}/${id}`, { mapping, key: "total" })).body.errors,
  ).toMatchObject([{ path: "/key" }]);
  expect((await owner(`PATCH ${IMPORTS}/${id}`, { mapping, key: "number" })).status).toBe(200);
  const { check } = await act(id, "check", "ready");
  expect(check).toMatchObject({ created: 1, updated: 2, unchanged: 1, invalid: 1 });
  expect((await recordsOf("orders")).map(({ total }) => total)).toEqual([1, 1, 1]);
  const done = await act(id, "start", "completed");
  expect(done.counts).toMatchObject({ created: 1, updated: 2, unchanged: 1, invalid: 1 });
  const after = await recordsOf("orders");
  expect(after.map(({ total, customer }) => [total, customer])).toEqual([
    [10.5, acme],
    [20, acme],
    [1, null],
    [40, null],
  ]);
  expect(after[0].owner).toBe(member.userId);
  await owner(`PATCH /api/v1/tables/orders/records/${after[1].id}`, { total: 21 });
  const back = await act(id, "take-back", "taken_back");
  expect(back.counts).toMatchObject({ takenBack: 2, refused: 1 });
  expect((await recordsOf("orders")).map(({ total, customer }) => [total, customer])).toEqual([
    [1, null],
    [21, acme],
    [1, null],
  ]);
  expect((await owner("GET /api/v1/tables/orders")).status).toBe(200);
});

test("an import follows the table's rules, is limited to its owner, and reports why it fails", async () => {
  const rules = [{ roles: ["member"], actions: ["create", "read"], where: { kind: "open" } }];
  const columns = [
    { name: "kind", type: "text" },
    { name: "n", type: "integer" },
  ];
  await owner("POST /api/v1/tables", { name: "ruled", slug: "ruled", columns, rules });
  const id = await begin("kind,n\nopen,1\nsecret,2\nopen,3\n", { table: "ruled" }, member);
  await reach(id, "ready", member);
  expect((await colleague(`GET ${IMPORTS}/${id}`)).status).toBe(404);
  expect((await colleague(`POST ${IMPORTS}/${id}/start`)).status).toBe(404);
  expect((await colleague(`GET ${IMPORTS}`)).body.data).toEqual([]);
  const done = await act(id, "start", "completed", member);
  expect(done.counts).toMatchObject({ created: 2, invalid: 1 });
  expect((await member(`GET ${IMPORTS}/${id}/lines`)).body.data).toMatchObject([
    { line: 3, errors: [{ message: "is a record that you can't create" }] },
  ]);
  expect((await recordsOf("ruled")).map(({ kind, createdBy }) => [kind, createdBy])).toEqual([
    ["open", member.userId],
    ["open", member.userId],
  ]);
  const madeUp = await begin("a\n1\n2\n", {}, member);
  await reach(madeUp, "ready", member);
  await member(`PATCH ${IMPORTS}/${madeUp}`, { newTable: { slug: "mine", name: "Mine" } });
  expect((await member(`POST ${IMPORTS}/${madeUp}/start`)).status).toBe(403);
  const broken = await begin('a,b\n1,"never closed\n');
  expect((await reach(broken, "failed")).reason).toBe("Line 2 has an unclosed quote.");
  expect((await owner(`POST ${IMPORTS}/${broken}/start`)).body.code).toBe("import_wrong_state");
});
