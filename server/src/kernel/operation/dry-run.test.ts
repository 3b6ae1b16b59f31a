import { expect, test } from "vitest";
import { useWorld } from "../testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const requester = await world.member(["requester"]);
const IMPORT = "POST /api/v1/tables/orders/records/import";
const NAMES = {
  name: "Orders",
  slug: "orders",
  columns: [{ name: "no", type: "text", unique: true }],
};

test("a dry run returns response, events and changes without storing data", async () => {
  const dry = await owner("POST /api/v1/tables?dryRun=true", NAMES);
  expect(dry).toMatchObject({
    status: 200,
    events: [],
    headers: { "preference-applied": "dry-run" },
    body: { data: { answer: { status: 201 }, eventCount: 1, leftOut: null } },
  });
  expect(dry.body.data.events).toMatchObject([{ type: "table.created" }]);
  expect((await owner("GET /api/v1/tables/orders")).status).toBe(404);
  expect((await owner("POST /api/v1/tables", NAMES)).status).toBe(201);
  const made = await owner("POST /api/v1/tables/orders/records", { no: "1" });
  const route = `PATCH /api/v1/tables/orders/records/${made.body.data.id}`;
  const changed = await owner(route, { no: "2" }, { prefer: "respond-async, Dry-Run" });
  expect(changed.body.data.changes).toMatchObject([
    { resource: { id: made.body.data.id }, before: { no: "1" }, after: { no: "2" } },
  ]);
  const read = await owner(`GET /api/v1/tables/orders/records/${made.body.data.id}`);
  expect(read.body.data.no).toBe("1");
});

test("a dry run fails like the call", async () => {
  const again = await owner("POST /api/v1/tables/orders/records?dryRun=true", { no: "1" });
  const real = await owner("POST /api/v1/tables/orders/records", { no: "1" });
  expect([again.status, again.body.code]).toEqual([real.status, real.body.code]);
  const wrong = await owner("POST /api/v1/tables?dryRun=perhaps", NAMES);
  expect(wrong.body.errors).toEqual([{ path: "?dryRun", message: "must be true or false" }]);
  const read = await owner("GET /api/v1/tables?dryRun=true");
  expect(read.body.errors).toMatchObject([{ path: "?dryRun" }]);
});

test("a dry run consumes no number and stores no response for an idempotency key", async () => {
  const key = { "idempotency-key": "one" };
  const number = async (route: string) => (await owner(route, { title: "Printer" }, key)).body.data;
  const route = "POST /api/v1/itsm/incidents";
  const dry = await number(`${route}?dryRun=true`);
  const made = await number(route);
  expect(dry.answer.body.data.number).toBe(made.number);
});

test("shows only event types to users without access to the log", async () => {
  const { body } = await requester("POST /api/v1/itsm/incidents?dryRun=true", { title: "Help" });
  expect(body.data.answer.status).toBe(201);
  expect(
    body.data.events.every(({ data }: { data: object }) => Object.keys(data).length === 0),
  ).toBe(true);
  const names = body.data.events.map(({ resource }: any) => [
    resource.number,
    resource.displayName,
  ]);
  expect(names).toContainEqual([null, null]);
  expect(new Set(names.flat())).toEqual(new Set([null]));
  expect(body.data.changes).toEqual([]);
});

test("does not count events hidden by table rules", async () => {
  const links = { name: "parts", type: "links", options: { table: "boxes" } };
  const columns = [{ name: "title", type: "text" }, { name: "isSecret", type: "boolean" }, links];
  const rules = [
    { roles: ["agent"], actions: ["read"], where: { isSecret: false } },
    { roles: ["agent"], actions: ["delete"] },
  ];
  await owner("POST /api/v1/tables", { name: "Boxes", slug: "boxes", columns, rules });
  const records = "POST /api/v1/tables/boxes/records";
  const { id } = (await owner(records, { title: "Lid", isSecret: false })).body.data;
  await owner(records, { title: "Chest", isSecret: true, parts: [id] });
  const route = `DELETE /api/v1/tables/boxes/records/${id}?dryRun=true`;
  const [whole, part] = [await owner(route), await agent(route)];
  expect([whole.body.data.eventCount, part.body.data.eventCount]).toEqual([2, 1]);
  expect(part.body.data.events).toMatchObject([{ type: "record.deleted" }]);
});

test("shows audit events only to users with access to the audit log", async () => {
  const { id } = (
    await owner("POST /api/v1/settings/roles", {
      name: "Clerk",
      permissions: ["roles:write", "events:read"],
    })
  ).body.data;
  const clerk = await world.member([id]);
  const role = { name: "Other", permissions: ["events:read"] };
  const { body } = await clerk("POST /api/v1/settings/roles?dryRun=true", role);
  expect(body.data).toMatchObject({ answer: { status: 201 }, changes: [] });
  expect(body.data.events).toMatchObject([{ type: "audit.role.created", data: {} }]);
  expect(Object.keys(body.data.events[0].data)).toEqual([]);
});

test("an operation with a dry-run parameter accepts the preference for it", async () => {
  const csv = { prefer: "dry-run", "content-type": "text/csv" };
  const { status, events } = await owner(IMPORT, "no\n77\n", csv);
  expect([status, events]).toEqual([200, []]);
  expect((await owner("GET /api/v1/tables/orders/records?q=77")).body.data).toEqual([]);
});

test("operations without dry-run support reject the preference", async () => {
  const answer = await owner("POST /api/v1/auth/logout", undefined, { prefer: "dry-run" });
  expect([answer.status, answer.body.errors?.[0]?.path, answer.events]).toEqual([
    422,
    "Prefer",
    [],
  ]);
  expect((await owner("GET /api/v1/auth/me")).status).toBe(200);
});

test("skips operations that issue credentials or call external systems, and reports it", async () => {
  const token = { name: "CI", scopes: ["tables:read"], expiresIn: "30d" };
  const credential = await owner("POST /api/v1/auth/tokens?dryRun=true", token);
  const made = await owner("POST /api/v1/webhooks", {
    name: "Audit",
    url: "https://example.com/in",
    events: ["incident.created"],
  });
  expect(made.status).toBe(201);
  const outside = await owner(`POST /api/v1/webhooks/${made.body.data.id}/test?dryRun=true`);
  for (const { status, body, events } of [credential, outside]) {
    expect([status, events, body.data?.answer]).toEqual([200, [], null]);
    expect(body.data.leftOut).toEqual(expect.any(String));
  }
});
