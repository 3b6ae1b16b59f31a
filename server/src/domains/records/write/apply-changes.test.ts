import { expect, test } from "vitest";
import { useRuledTables } from "../testing/ruled-table.ts";

const { owner, agent, create } = await useRuledTables();

const listOf = async (path: string) =>
  (await owner(`GET ${path}?sort=id`)).body.data.map((one: Record<string, unknown>) => [
    one["title"],
    one["salary"],
  ]);

test("a single request creates, updates and deletes records, and a single undo reverts all changes", async () => {
  const { slug } = await create();
  const path = `/api/v1/tables/${slug}/records`;
  const [one, two, three] = (await owner(`GET ${path}?sort=id`)).body.data;
  const reply = await owner(`POST ${path}/changes`, {
    delete: [three.id, "rec_01jzt3n5k8q2x4v6w8y0z2b4d6"],
    edit: [
      { id: two.id, revision: 1, set: { salary: 3 } },
      { id: one.id, set: { title: "one" } },
    ],
    create: [{ title: "four", salary: 4 }],
  });
  expect(reply.status).toBe(200);
  expect(reply.body.data).toEqual({
    created: [{ id: expect.any(String), revision: 1 }],
    edited: [
      { id: two.id, revision: 2 },
      { id: one.id, revision: 1 },
    ],
    deleted: 1,
  });
  expect(reply.events).toEqual(["record.deleted", "record.updated", "record.created"]);
  expect(await listOf(path)).toEqual([
    ["one", 1],
    ["two", 3],
    ["four", 4],
  ]);
  const correlationId = reply.headers["x-correlation-id"];
  expect((await owner("POST /api/v1/undo", { correlationId })).status).toBe(200);
  expect(await listOf(path)).toEqual([
    ["one", 1],
    ["two", 2],
    ["three", 3],
  ]);
});

test("writes nothing if a part is outdated, invalid, empty or too large", async () => {
  const { slug } = await create();
  const path = `/api/v1/tables/${slug}/records`;
  const [one, two] = (await owner(`GET ${path}?sort=id`)).body.data;
  await owner(`PATCH ${path}/${two.id}`, { title: "changed by someone else" });
  const before = await listOf(path);
  const apply = (body: object) => owner(`POST ${path}/changes`, body);
  const stale = await apply({
    delete: [one.id],
    edit: [{ id: two.id, revision: 1, set: { title: "mine" } }],
    create: [{ title: "new" }],
  });
  expect([stale.status, stale.body.code, stale.body.errors]).toEqual([
    409,
    "records_changed",
    [{ path: "/edit/0/revision", message: "is 2 now" }],
  ]);
  const invalid = await apply({ delete: [one.id], create: [{ title: "a" }, { salary: "much" }] });
  expect([invalid.status, invalid.body.errors[0].path]).toEqual([422, "/create/1/salary"]);
  const many = Array.from({ length: 5_001 }, () => ({ title: "x" }));
  const ids = Array.from({ length: 5_000 }, () => one.id);
  for (const body of [{}, { create: many, delete: ids }]) {
    expect((await apply(body)).status).toBe(422);
  }
  expect(await listOf(path)).toEqual(before);
});

test("returns ids of visible records in list order, starting at an offset", async () => {
  const { slug } = await create();
  const path = `/api/v1/tables/${slug}/records`;
  const records = (await owner(`GET ${path}?sort=salary`)).body.data;
  const [one, two, three] = records.map(({ id }: { readonly id: string }) => id);
  const idsOf = async (ask: typeof owner, query: string) =>
    (await ask(`GET ${path}/ids?${query}`)).body.data.ids;
  expect(await idsOf(owner, "sort=-salary")).toEqual([three, two, one]);
  expect(await idsOf(owner, "sort=-salary&offset=1&limit=1")).toEqual([two]);
  expect(
    await idsOf(owner, `sort=id&filter=${encodeURIComponent('{"salary":{"gte":2}}')}`),
  ).toEqual([two, three]);
  expect(await idsOf(owner, "q=thre")).toEqual([three]);
  expect(await idsOf(agent, "sort=id")).toEqual([one, two]);
  // A filter on a hidden field finds nothing.
  expect(await idsOf(agent, `filter=${encodeURIComponent('{"salary":1}')}`)).toEqual([]);
});

test("access rules apply to each part: a request with a forbidden part writes nothing", async () => {
  const { slug } = await create();
  const path = `/api/v1/tables/${slug}/records`;
  const [one, , hidden] = (await owner(`GET ${path}?sort=id`)).body.data;
  const apply = (body: object) => agent(`POST ${path}/changes`, body);
  const fresh = { title: "mine", state: "open" };
  expect((await apply({ create: [fresh], delete: [one.id] })).status).toBe(403);
  const edit = [{ id: hidden.id, set: { title: "seen" } }];
  expect((await apply({ create: [fresh], edit })).body.code).toBe("records_changed");
  // A record that they can't see is as one that does not exist.
  expect((await apply({ create: [fresh], delete: [hidden.id] })).body.data.deleted).toBe(0);
  expect((await listOf(path)).length).toBe(4);
});
