import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const ITEMS = "/api/v1/cmdb/items";
const CLASSES = "/api/v1/cmdb/classes";

async function made(body: object = {}, ask: Ask = owner): Promise<any> {
  const answer = await ask(`POST ${ITEMS}`, { name: "Some", class: "server", ...body });
  expect(answer).toMatchObject({ status: 201, events: ["cmdb_item.created"] });
  return answer.body.data;
}

test("a class defines the attributes of its items and of derived classes", async () => {
  const hosts = { name: "host", attributes: { os: { enum: ["linux", "bsd"], required: true } } };
  expect(await owner(`POST ${CLASSES}`, hosts)).toMatchObject({
    status: 201,
    events: ["cmdb_class.created"],
    headers: { location: `${CLASSES}/host` },
    body: { data: { label: "host", extends: null, builtIn: false } },
  });
  const guests = { name: "guest", extends: "host", attributes: { cpus: { type: "integer" } } };
  expect((await owner(`POST ${CLASSES}`, guests)).status).toBe(201);
  const bad = { name: "Bad", class: "guest", attributes: { cpus: "4", disks: 1 } };
  const refused = await owner(`POST ${ITEMS}`, bad);
  expect(refused).toMatchObject({ status: 422, events: [] });
  expect(refused.body.errors.map(({ path }: any) => path)).toEqual([
    "/attributes/os",
    "/attributes/cpus",
    "/attributes/disks",
  ]);
  const item = await made({ class: "guest", attributes: { os: "bsd", cpus: 4 } });

  // A stricter schema does not prevent changes of other fields.
  const stricter = { attributes: { cpus: { type: "integer", maximum: 2 } } };
  expect(await owner(`PATCH ${CLASSES}/guest`, stricter)).toMatchObject({
    status: 200,
    events: ["cmdb_class.updated"],
  });
  expect(await owner(`PATCH ${CLASSES}/guest`, stricter)).toMatchObject({
    status: 200,
    events: [],
  });
  const at = `${ITEMS}/${item.id}`;
  expect((await owner(`PATCH ${at}`, { name: "Renamed" })).status).toBe(200);
  expect(await owner(`PATCH ${at}`, { attributes: { os: "linux" } })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/attributes/cpus", message: "must be at most 2" }] },
    events: [],
  });
  expect(await owner(`PATCH ${at}`, { class: "host" })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/attributes/cpus" }] },
  });
  expect((await owner(`PATCH ${at}`, { class: "other" })).status).toBe(200);

  const inUse = { status: 409, body: { code: "cmdb_class_in_use" }, events: [] };
  expect(await owner(`DELETE ${CLASSES}/host`)).toMatchObject(inUse);
  const gone = { status: 204, events: ["cmdb_class.deleted"] };
  expect(await owner(`DELETE ${CLASSES}/guest`)).toMatchObject(gone);
  expect(await owner(`DELETE ${CLASSES}/host`)).toMatchObject(gone);
  expect((await owner(`GET ${CLASSES}/host`)).status).toBe(404);
});

test("built-in classes allow any attributes until they are declared", async () => {
  const ask = await world.member(["builder"], await world.workspace("cmdb-classes"));
  const list = await ask(`GET ${CLASSES}?limit=3`);
  expect(list.body.data.map(({ name }: any) => name)).toEqual([
    "api",
    "application",
    "business_service",
  ]);
  const next = await ask(`GET ${CLASSES}?after=${list.body.pagination.nextCursor}`);
  expect(next.body.data.map(({ name }: any) => name)).toContain("virtual_machine");
  const item = await made({ class: "storage", attributes: { anything: [1] } }, ask);
  expect((await ask(`PATCH ${CLASSES}/storage`, { label: "X" })).status).toBe(404);
  const declared = { name: "storage", label: "Disks", attributes: { bytes: { type: "integer" } } };
  expect((await ask(`POST ${CLASSES}`, declared)).status).toBe(201);
  expect(await ask(`POST ${CLASSES}`, declared)).toMatchObject({
    status: 409,
    body: { code: "cmdb_class_exists" },
  });
  const body = { attributes: { more: 1 } };
  expect((await ask(`PATCH ${ITEMS}/${item.id}`, body)).status).toBe(422);
  expect((await ask(`DELETE ${CLASSES}/storage`)).status).toBe(204);
  expect((await ask(`PATCH ${ITEMS}/${item.id}`, body)).status).toBe(200);
  const { body: all } = await ask(`GET ${CLASSES}`);
  expect(all.data.find(({ name }: any) => name === "storage")).toMatchObject({ builtIn: true });
});

test("a class cannot extend itself or an unknown class; hostile schemas are rejected", async () => {
  for (const [name, parent] of [
    ["ring_a", null],
    ["ring_b", "ring_a"],
  ]) {
    expect((await owner(`POST ${CLASSES}`, { name, extends: parent })).status).toBe(201);
  }
  for (const parent of ["ring_b", "ring_a", "nowhere"]) {
    expect(await owner(`PATCH ${CLASSES}/ring_a`, { extends: parent })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "/extends" }] },
      events: [],
    });
  }
  const hostile = [
    { a: { pattern: "^(a+)+$" } },
    { a: { $ref: "http://example.com" } },
    { a: { description: "x".repeat(70_000) } },
  ];
  for (const attributes of hostile) {
    expect(await owner(`POST ${CLASSES}`, { name: "hostile", attributes })).toMatchObject({
      status: 422,
      events: [],
    });
  }
});

test("concurrent class changes create no cycle and no reference to a deleted class", async () => {
  for (let round = 0; round < 5; round += 1) {
    const [left, right] = [`left_${round}`, `right_${round}`];
    for (const name of [left, right]) await owner(`POST ${CLASSES}`, { name });
    const tied = await Promise.all([
      owner(`PATCH ${CLASSES}/${left}`, { extends: right }),
      owner(`PATCH ${CLASSES}/${right}`, { extends: left }),
    ]);
    expect(tied.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    const gone = `gone_${round}`;
    await owner(`POST ${CLASSES}`, { name: gone });
    const answers = await Promise.all([
      owner(`POST ${CLASSES}`, { name: `heir_${round}`, extends: gone }),
      owner(`DELETE ${CLASSES}/${gone}`),
    ]);
    expect([
      [201, 409],
      [422, 204],
    ]).toContainEqual(answers.map(({ status }) => status));
  }
});

test("a pack creates, changes and removes classes", async () => {
  const install = (version: string, label: string) =>
    owner("POST /api/v1/sdk/packs/install", {
      id: "@acme/classes",
      name: "Classes",
      version,
      resources: {
        cmdb_classes: [
          { name: "pack_host", attributes: { os: { type: "string" } } },
          { name: "pack_guest", label, extends: "pack_host", attributes: {} },
        ],
      },
    });
  const first = await install("1.0.0", "Guest");
  expect(first.status).toBe(201);
  expect(first.events.filter((type) => type === "cmdb_class.created")).toHaveLength(2);
  expect((await owner(`GET ${CLASSES}/pack_guest`)).body.data).toMatchObject({
    label: "Guest",
    extends: "pack_host",
  });
  const second = await install("1.1.0", "Tenant");
  expect(second.events.filter((type) => type.startsWith("cmdb_class."))).toEqual([
    "cmdb_class.updated",
  ]);
  const gone = await owner("DELETE /api/v1/sdk/packs/%40acme%2Fclasses");
  expect(gone.events.filter((type) => type === "cmdb_class.deleted")).toHaveLength(2);
  expect((await owner(`GET ${CLASSES}/pack_guest`)).status).toBe(404);
});
