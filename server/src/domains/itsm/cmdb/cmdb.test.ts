import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const ITEMS = "/api/v1/cmdb/items";
const TIES = "/api/v1/cmdb/relationships";

async function made(body: object = {}, ask: Ask = owner): Promise<any> {
  const answer = await ask(`POST ${ITEMS}`, { name: "Some", class: "server", ...body });
  expect(answer).toMatchObject({ status: 201, events: ["cmdb_item.created"] });
  return answer.body.data;
}

test("creates, reads, updates and deletes an item and records events in the history", async () => {
  const team = await owner("POST /api/v1/itsm/teams", { name: "Keepers" });
  const teamId = team.body.data.id;
  const item = await made({ ownerId: owner.userId, teamId, attributes: { cpus: 4, gone: null } });
  expect(item).toEqual({
    id: expect.stringMatching(/^ci_/),
    name: "Some",
    class: "server",
    status: "active",
    key: null,
    description: "",
    attributes: { cpus: 4 },
    ownerId: owner.userId,
    teamId,
    createdBy: owner.userId,
    createdAt: item.createdAt,
    updatedAt: item.createdAt,
  });
  const at = `${ITEMS}/${item.id}`;
  const read = await owner(`GET ${at}`);
  expect(read).toMatchObject({ status: 200, headers: { etag: '"1"' } });
  expect(read.body.data).toEqual({ ...item, relationshipCount: 0 });

  world.clock.advance(1_000);
  const change = { status: "maintenance", ownerId: null, attributes: { os: "linux", cpus: null } };
  const changed = await owner(`PATCH ${at}`, change);
  expect(changed).toMatchObject({
    status: 200,
    events: ["cmdb_item.updated"],
    headers: { etag: '"2"' },
    body: { data: { status: "maintenance", ownerId: null, attributes: { os: "linux" } } },
  });
  expect(changed.body.data.updatedAt > item.updatedAt).toBe(true);
  const again = await owner(`PATCH ${at}`, change);
  expect(again).toMatchObject({ status: 200, events: [], headers: { etag: '"2"' } });
  expect(again.body).toEqual(changed.body);

  const deleted = await owner(`DELETE ${at}`, undefined, { "if-match": '"2"' });
  expect(deleted).toMatchObject({ status: 204, events: ["cmdb_item.deleted"] });
  expect((await owner(`GET ${at}`)).status).toBe(404);

  const first = await owner(`GET ${at}/history?limit=2`);
  expect(first.body.data.map(({ type }: any) => type)).toEqual([
    "cmdb_item.deleted",
    "cmdb_item.updated",
  ]);
  expect(first.body.data[1].data).toEqual({
    before: item,
    after: changed.body.data,
    changes: ["status", "attributes", "ownerId"],
  });
  const { nextCursor } = first.body.pagination;
  const rest = await owner(`GET ${at}/history?limit=2&after=${nextCursor}`);
  expect(rest.body.data).toMatchObject([{ type: "cmdb_item.created", data: item }]);
  const never = await owner(`GET ${ITEMS}/ci_00000000000000000000000000/history`);
  expect(never.status).toBe(404);
  expect((await owner(`GET ${at}/history?after=x`)).status).toBe(422);
});

test("a key is unique in a class, and the owner and team must exist", async () => {
  await made({ key: "k-1" });
  await made({ key: "k-1", class: "database" });
  const twice = await owner(`POST ${ITEMS}`, { name: "Twice", class: "server", key: "k-1" });
  expect(twice).toMatchObject({ status: 409, body: { code: "cmdb_key_taken" }, events: [] });
  const stranger = (await world.member(["viewer"], await world.workspace("cmdb-elsewhere"))).userId;
  const nobody = await owner(`POST ${ITEMS}`, {
    name: "Nobody's",
    class: "no_such_class",
    ownerId: stranger,
    teamId: "tem_00000000000000000000000000",
  });
  expect(nobody).toMatchObject({ status: 422, events: [] });
  expect(nobody.body.errors.map(({ path }: any) => path)).toEqual([
    "/class",
    "/ownerId",
    "/teamId",
  ]);
});

test("the list is narrowed, filtered into attributes, searched, sorted and counted", async () => {
  const ask = await world.member(["agent"], await world.workspace("cmdb-listed"));
  for (const [index, os] of ["linux", "linux", "windows"].entries()) {
    await made({ name: `host-${index}`, attributes: { os, cpus: index } }, ask);
  }
  await made({ name: "billing", class: "application", status: "planned" }, ask);
  const names = async (question: string): Promise<string[]> => {
    const answer = await ask(`GET ${ITEMS}?${question}`);
    expect(answer.status).toBe(200);
    return answer.body.data.map(({ name }: any) => name);
  };
  expect(await names("")).toEqual(["billing", "host-2", "host-1", "host-0"]);
  expect(await names("class=server&sort=name")).toEqual(["host-0", "host-1", "host-2"]);
  expect(await names("status=planned")).toEqual(["billing"]);
  const filter = encodeURIComponent('{"attributes.os":"linux","attributes.cpus":{"gt":0}}');
  expect(await names(`filter=${filter}`)).toEqual(["host-1"]);
  expect(await names("q=WINDOWS")).toEqual(["host-2"]);
  const { body } = await ask(`GET ${ITEMS}?limit=3&sort=name&count=exact`);
  expect(body.pagination).toMatchObject({ total: 4, hasMore: true });
  expect(await names(`limit=3&sort=name&after=${body.pagination.nextCursor}`)).toEqual(["host-2"]);
});

test("oversized attributes are rejected, and unusual names are stored unchanged", async () => {
  const large = { name: "Large", class: "other", attributes: { a: "x".repeat(66_000) } };
  expect(await owner(`POST ${ITEMS}`, large)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/attributes" }] },
    events: [],
  });
  const strange = { "a.b": 1, "a/b": { c: [null] }, toString: "x", "Größe 📏": true };
  const item = await made({ class: "other", attributes: strange });
  expect((await owner(`GET ${ITEMS}/${item.id}`)).body.data.attributes).toEqual(strange);
});

test("two items have at most one relationship of each type and direction, and both must exist", async () => {
  const [a, b] = [await made({ name: "a" }), await made({ name: "b" })];
  const tie = { from: a.id, to: b.id, type: "depends_on" };
  const tied = await owner(`POST ${TIES}`, tie);
  expect(tied).toMatchObject({ status: 201, events: ["cmdb_relationship.created"] });
  expect(tied.body.data).toMatchObject({ ...tie, createdBy: owner.userId });
  expect(await owner(`POST ${TIES}`, tie)).toMatchObject({
    status: 409,
    body: { code: "cmdb_relationship_exists" },
    events: [],
  });
  const more = [
    { ...tie, type: "uses" },
    { ...tie, from: b.id, to: a.id },
  ];
  for (const body of more) expect((await owner(`POST ${TIES}`, body)).status).toBe(201);
  const missing = "ci_00000000000000000000000000";
  const other = await made({}, await world.member(["agent"], await world.workspace("cmdb-tied")));
  const wrong: [object, string[]][] = [
    [{ ...tie, to: a.id }, ["/to"]],
    [{ ...tie, from: missing, to: other.id }, ["/from", "/to"]],
  ];
  for (const [body, paths] of wrong) {
    const answer = await owner(`POST ${TIES}`, body);
    expect(answer).toMatchObject({ status: 422, events: [] });
    expect(answer.body.errors.map(({ path }: any) => path)).toEqual(paths);
  }
  const list = async (question: string) =>
    (await owner(`GET ${TIES}?${question}`)).body.data.map(({ from, type }: any) => [from, type]);
  const all = [
    [a.id, "depends_on"],
    [a.id, "uses"],
    [b.id, "depends_on"],
  ];
  expect(await list(`item=${b.id}`)).toEqual(all);
  expect(await list(`from=${a.id}`)).toEqual(all.slice(0, 2));
  expect(await list(`to=${a.id}`)).toEqual(all.slice(2));
  expect(await list(`item=${a.id}&type=uses`)).toEqual(all.slice(1, 2));
  const page = await owner(`GET ${TIES}?item=${a.id}&limit=2`);
  const { nextCursor } = page.body.pagination;
  expect(await list(`item=${a.id}&limit=2&after=${nextCursor}`)).toEqual(all.slice(2));
  expect((await owner(`GET ${TIES}?after=${nextCursor}`)).status).toBe(422);
  expect((await owner(`GET ${ITEMS}/${a.id}`)).body.data.relationshipCount).toBe(3);

  const kept = await owner(`DELETE ${ITEMS}/${a.id}`);
  expect(kept).toMatchObject({
    status: 409,
    body: { code: "cmdb_item_in_use", relationshipCount: 3, ticketCount: 0 },
    events: [],
  });
  expect(await owner(`DELETE ${TIES}/${tied.body.data.id}`)).toMatchObject({
    status: 204,
    events: ["cmdb_relationship.deleted"],
  });
  expect(await owner(`DELETE ${ITEMS}/${a.id}?force=true`)).toMatchObject({
    status: 204,
    events: ["cmdb_relationship.deleted", "cmdb_relationship.deleted", "cmdb_item.deleted"],
  });
  expect(await list(`item=${b.id}`)).toEqual([]);
});

test("an item can't be deleted while a ticket for the item is open", async () => {
  const item = await made({ name: "Broken" });
  const incident = await owner("POST /api/v1/itsm/incidents", { title: "Down", ciIds: [item.id] });
  expect(incident.status).toBe(201);
  expect(await owner(`DELETE ${ITEMS}/${item.id}?force=true`)).toMatchObject({
    status: 409,
    body: { code: "cmdb_item_in_use", ticketCount: 1 },
    events: [],
  });
  const { id } = incident.body.data;
  await owner(`POST /api/v1/itsm/incidents/${id}/cancel`, { reason: "A false alarm" });
  expect(await owner(`DELETE ${ITEMS}/${item.id}`)).toMatchObject({
    status: 204,
    events: ["cmdb_item.deleted"],
  });
  expect((await owner(`GET /api/v1/itsm/incidents/${id}`)).body.data.ciIds).toEqual([]);
});

test("if an item is deleted while a ticket is created for it, either the item or the ticket is rejected", async () => {
  for (let round = 0; round < 8; round += 1) {
    const item = await made({ name: "Going" });
    const [incident, deletion] = await Promise.all([
      owner("POST /api/v1/itsm/incidents", { title: "Down", ciIds: [item.id] }),
      owner(`DELETE ${ITEMS}/${item.id}`),
    ]);
    expect([
      [201, 409],
      [422, 204],
    ]).toContainEqual([incident.status, deletion.status]);
  }
});

test("agents and builders write items, viewers read them", async () => {
  const statuses: Record<string, number> = { builder: 201, agent: 201, viewer: 403, auditor: 403 };
  for (const [role, status] of Object.entries(statuses)) {
    const ask = await world.member([role]);
    expect((await ask(`GET ${ITEMS}`)).status).toBe(200);
    expect((await ask(`POST ${ITEMS}`, { name: "By", class: "other" })).status).toBe(status);
  }
  expect((await (await world.member(["member"]))(`GET ${ITEMS}`)).status).toBe(403);
});
