import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const member = await world.member(["member"]);
const agent = await world.member(["agent"]);

const RECORDS = "/api/v1/tables/cases/records";
const columns = [
  { name: "number", type: "autonumber", unique: true },
  { name: "title", type: "text", unique: true },
  { name: "kind", type: "text" },
  { name: "secret", type: "text" },
];
const rules = [
  {
    roles: ["member"],
    actions: ["read", "create", "delete", "update"],
    where: { kind: "open" },
    fields: ["title", "kind"],
  },
];
await owner("POST /api/v1/tables", { name: "cases", slug: "cases", columns, rules });
const make = async (fields: object): Promise<any> =>
  (await owner(`POST ${RECORDS}`, fields)).body.data;

test("restores a deleted record with its id, number, values and comments, once; old ETags no longer match", async () => {
  const before = await make({ title: "First", kind: "open", secret: "s" });
  const path = `${RECORDS}/${before.id}`;
  await owner(`PATCH ${path}`, { kind: "closed" });
  await owner(`POST ${path}/comments`, { body: "Well" });
  expect((await owner(`POST ${path}/restore`)).body.code).toBe("record_present");
  await owner(`DELETE ${path}`);
  expect((await owner(`GET ${path}/comments`)).status).toBe(404);
  const { status, body, events } = await owner(`POST ${path}/restore`);
  expect([status, events]).toEqual([200, ["record.restored"]]);
  expect(body.data).toMatchObject({
    ...before,
    kind: "closed",
    updatedAt: expect.any(String),
    revision: 4,
  });
  expect((await owner(`PATCH ${path}`, { kind: "open" }, { "if-match": '"1"' })).status).toBe(412);
  expect((await owner(`GET ${path}/comments`)).body.data).toMatchObject([{ body: "Well" }]);
  expect((await make({ title: "Second", kind: "open" })).number).toBeGreaterThan(before.number);
});

test("one of two concurrent restores succeeds", async () => {
  const { id } = await make({ kind: "open" });
  await owner(`DELETE ${RECORDS}/${id}`);
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => owner(`POST ${RECORDS}/${id}/restore`)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
});

test("does not restore a record whose unique value is used, that is hidden, or that never existed", async () => {
  const gone = await make({ title: "Taken", kind: "open", secret: "s" });
  await owner(`DELETE ${RECORDS}/${gone.id}`);
  await make({ title: "Taken" });
  expect((await owner(`POST ${RECORDS}/${gone.id}/restore`)).body.code).toBe("record_not_unique");
  const hidden = await make({ title: "Hidden", kind: "closed" });
  await owner(`DELETE ${RECORDS}/${hidden.id}`);
  expect((await member(`POST ${RECORDS}/${hidden.id}/restore`)).status).toBe(404);
  expect((await agent(`POST ${RECORDS}/${hidden.id}/restore`)).status).toBe(404);
  expect((await owner(`POST ${RECORDS}/rec_00000000000000000000000000/restore`)).status).toBe(404);
  // A member may not create a record with a secret, and so may not restore one.
  const secret = await make({ title: "Secret", kind: "open", secret: "s" });
  await owner(`DELETE ${RECORDS}/${secret.id}`);
  expect((await member(`POST ${RECORDS}/${secret.id}/restore`)).body.code).toBe("record_forbidden");
});

test("the cell history lists all visible values and who set them", async () => {
  const record = await make({ title: "Traced", kind: "open", secret: "one" });
  const path = `${RECORDS}/${record.id}`;
  await member(`PATCH ${path}`, { title: "Traced on" });
  await owner(`PATCH ${path}`, { secret: "two" });
  await owner(`DELETE ${path}`);
  const history = async (field: string, by = owner): Promise<unknown[]> =>
    (await by(`GET ${path}/history/${field}`)).body.data.map(({ type, before, after }: any) => [
      type,
      before,
      after,
    ]);
  expect(await history("title")).toEqual([
    ["record.deleted", "Traced on", null],
    ["record.updated", "Traced", "Traced on"],
    ["record.created", null, "Traced"],
  ]);
  expect((await owner(`GET ${path}/history/title`)).body.data[1].actor.id).toBe(member.userId);
  expect(await history("title", member)).toEqual(await history("title"));
  expect(await history("secret", member)).toEqual([
    ["record.deleted", null, null],
    ["record.created", null, null],
  ]);
  expect((await agent(`GET ${path}/history/title`)).status).toBe(404);
  expect((await owner(`GET ${path}/history/nothing`)).status).toBe(422);
  const first = await owner(`GET ${path}/history/title?limit=2`);
  const rest = await owner(
    `GET ${path}/history/title?limit=2&after=${first.body.pagination.nextCursor}`,
  );
  expect([first.body.data.length, rest.body.data.map(({ type }: any) => type)]).toEqual([
    2,
    ["record.created"],
  ]);
});

test("members who see the record can read its comments; mentioned members who may read it are notified", async () => {
  const open = await make({ title: "Open", kind: "open", secret: "s" });
  const path = `${RECORDS}/${open.id}/comments`;
  const added = await owner(`POST ${path}`, {
    body: `@[${member.userId}] and @[${agent.userId}], is it paid?`,
  });
  expect([added.status, added.events]).toEqual([
    201,
    ["record.comment_added", "notification.sent"],
  ]);
  expect(added.body.data.mentions).toEqual([member.userId]);
  expect((await member("GET /api/v1/notifications")).body.data).toMatchObject([
    { title: "You were mentioned in a comment in cases" },
  ]);
  const comment = `${path}/${added.body.data.id}`;
  expect((await agent(`GET ${path}`)).status).toBe(404);
  expect((await agent(`POST ${path}`, { body: "Me too" })).status).toBe(404);
  expect((await member(`GET ${path}`)).body.data).toHaveLength(1);
  expect((await member(`PATCH ${comment}`, { body: "Mine" })).status).toBe(403);
  expect((await member(`DELETE ${comment}`)).status).toBe(403);
  const edited = await owner(`PATCH ${comment}`, { body: "It is" }, { "if-match": '"1"' });
  expect([edited.events, edited.body.data.editedAt]).toEqual([
    ["record.comment_edited"],
    expect.any(String),
  ]);
  await owner(`PATCH ${RECORDS}/${open.id}`, { kind: "closed" });
  expect((await member(`GET ${path}`)).status).toBe(404);
  expect((await owner(`DELETE ${comment}`)).events).toEqual(["record.comment_deleted"]);
  await world.settled();
  // Comment events by viewer: the record was closed before the last event.
  const seenBy = async (by: typeof owner): Promise<string[]> =>
    (await by("GET /api/v1/audit?type=record.*&limit=100")).body.data
      .filter((event: any) => event.resource.id === open.id && event.type.includes("comment"))
      .map((event: any) => `${event.type} ${event.data.record.secret}`);
  expect(await seenBy(owner)).toEqual([
    "record.comment_deleted s",
    "record.comment_edited s",
    "record.comment_added s",
  ]);
});
