import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const [owner, agent, requester] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["requester"]),
]);
const INCIDENTS = "/api/v1/itsm/incidents";
const KIND = "/api/v1/itsm/kinds/incident";
const FIELDS = [
  { key: "floor", name: "Floor", type: "choice", choices: ["1", "2"], isRequired: true },
  { key: "cost", name: "Cost", type: "number" },
  { key: "until", name: "Until", type: "date" },
  { key: "contact", name: "Contact", type: "user" },
  { key: "remark", name: "Remark", type: "text" },
];
const defined = await owner(`PATCH ${KIND}`, { fields: FIELDS });

test("custom fields are typed, and available in forms, tickets, events, filters, sort orders, search and SLA clocks", async () => {
  expect(defined).toMatchObject({ status: 200, events: ["audit.ticket_kind.updated"] });
  expect((await agent(`GET ${KIND}`)).body.data.schema).toMatchObject({
    properties: { floor: { enum: ["1", "2"] }, cost: { type: "number" } },
    required: ["floor"],
  });
  await owner("POST /api/v1/itsm/sla-policies", {
    name: "Second floor",
    entity: "incident",
    conditions: { "fields.floor": "2" },
    targets: [{ metric: "resolution", minutes: 60 }],
  });
  const raise = (more: object) => agent(`POST ${INCIDENTS}`, { title: "Leak", ...more });
  expect(await raise({})).toMatchObject({ status: 422, events: [] });
  const wrong = { floor: "9", cost: "much", until: "2026-02-31", contact: "usr_x", colour: "red" };
  const { status, body: problem } = await raise({ fields: wrong });
  expect([status, problem.errors.map(({ path }: any) => path).toSorted()]).toEqual([
    422,
    ["/fields/colour", "/fields/contact", "/fields/cost", "/fields/floor", "/fields/until"],
  ]);
  const { body } = await raise({
    fields: { floor: "2", cost: 7, remark: "Dripping" },
    tags: ["Wet"],
  });
  const { id } = body.data;
  expect(body.data).toMatchObject({ tags: ["wet"], fields: { floor: "2", cost: 7 } });
  await raise({ fields: { floor: "1", cost: 90 } });
  const changed = await agent(`PATCH ${INCIDENTS}/${id}`, { fields: { cost: 70, remark: null } });
  expect(changed).toMatchObject({ events: ["incident.updated"] });
  expect(changed.body.data.fields).toEqual({ floor: "2", cost: 70 });
  expect(await agent(`PATCH ${INCIDENTS}/${id}`, { fields: { cost: 70 } })).toMatchObject({
    events: [],
  });
  expect(await agent(`PATCH ${INCIDENTS}/${id}`, { fields: { floor: null } })).toMatchObject({
    status: 422,
  });
  const { body: timeline } = await agent(`GET ${INCIDENTS}/${id}/timeline`);
  expect(timeline.data[0].changes).toMatchObject([
    { field: "fields", from: { cost: 7 }, to: { cost: 70 } },
  ]);
  const ids = async (query: string) =>
    (await agent(`GET /api/v1/itsm/tickets?${query}`)).body.data.map((one: any) => one.fields.cost);
  expect(await ids(`filter=${encodeURIComponent('{"fields.floor":"2"}')}`)).toEqual([70]);
  const filtered = (filter: object) => ids(`filter=${encodeURIComponent(JSON.stringify(filter))}`);
  // Filters give the same result with and without the index.
  for (const filter of [
    { "fields.cost": 70 },
    { "fields.cost": { eq: 70 } },
    { "fields.cost": { in: [7, 70] }, "fields.floor": "2" },
    { "fields.cost": { lt: 80 } },
    { and: [{ "fields.floor": "2" }] },
  ]) {
    expect([filter, await filtered(filter)]).toEqual([filter, [70]]);
  }
  expect(await filtered({ "fields.cost": 7 })).toEqual([]);
  expect(await filtered({ "fields.remark": "Dripping" })).toEqual([]);
  expect(await ids("sort=-fields.cost")).toEqual([90, 70]);
  expect(await ids("q=wet")).toEqual([70]);
  await agent(`PATCH ${INCIDENTS}/${id}`, { fields: { remark: "=1+1" } });
  const exported = await agent("GET /api/v1/itsm/tickets/export?sort=-fields.cost");
  const [header = "", ...lines] = String(exported.body).trim().split("\r\n");
  expect(header).toMatch(/^kind,number,.*,fields\.contact,fields\.cost,fields\.floor,/);
  expect(lines.map((line) => line.split(",").slice(-4))).toEqual([
    ["90", "1", "", ""],
    ["70", "2", "'=1+1", ""],
  ]);
  expect((await agent("GET /api/v1/itsm/tickets/export?filter=x")).status).toBe(422);
  expect((await requester("GET /api/v1/itsm/tickets/export")).status).toBe(403);
  await until(async () => {
    const { body: item } = await agent(`GET /api/v1/itsm/tickets/${id}`);
    return item.data.dueMetric === "resolution";
  });
});

test("a field keeps its type, and requesters neither need nor set fields", async () => {
  const [floor] = FIELDS;
  for (const fields of [
    [{ ...floor, type: "text", choices: undefined }],
    [{ key: "size", name: "Size", type: "choice" }],
    [floor, floor],
  ]) {
    expect(await owner(`PATCH ${KIND}`, { fields })).toMatchObject({ status: 422, events: [] });
  }
  expect(await agent(`PATCH ${KIND}`, { fields: [] })).toMatchObject({ status: 403, events: [] });
  expect(await requester(`POST ${INCIDENTS}`, { title: "Mine" })).toMatchObject({ status: 201 });
  expect(
    await requester(`POST ${INCIDENTS}`, { title: "Mine", fields: { floor: "1" } }),
  ).toMatchObject({ status: 422, events: [] });
  const vip = { key: "vip", name: "VIP", type: "boolean" };
  await owner("PATCH /api/v1/itsm/kinds/request", { fields: [vip] });
  const form = { type: "object", properties: {} };
  const item = await owner("POST /api/v1/catalog/items", { name: "Laptop", form });
  const asked = { itemId: item.body.data.id, values: {}, fields: { vip: true } };
  const requests = "POST /api/v1/catalog/requests";
  expect(await requester(requests, asked)).toMatchObject({ status: 422, events: [] });
  expect(await agent(requests, asked)).toMatchObject({ status: 201, body: { data: asked } });
});
