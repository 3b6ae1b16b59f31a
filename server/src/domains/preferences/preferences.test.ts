import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const ALL = "/api/v1/me/preferences";

test("a user can set, read, list, change by ETag and delete their preferences", async () => {
  const value = { columns: ["number"], widths: { title: 320 } };
  const set = await owner(`PUT ${ALL}/views.incidents`, { value });
  expect(set).toMatchObject({ status: 200, events: ["preference.set"] });
  const { body, headers } = await owner(`GET ${ALL}/views.incidents`);
  expect(body.data).toEqual({ key: "views.incidents", value, updatedAt: expect.any(String) });
  expect(await owner(`PUT ${ALL}/views.incidents`, { value })).toMatchObject({
    status: 200,
    events: [],
  });
  expect((await owner(`GET ${ALL}`)).body.data.preferences).toEqual([body.data]);
  const stale = { "if-match": '"99"' };
  expect(await owner(`PUT ${ALL}/views.incidents`, { value: 1 }, stale)).toMatchObject({
    status: 412,
    events: [],
  });
  const fresh = { "if-match": headers["etag"] ?? "" };
  expect((await owner(`PUT ${ALL}/views.incidents`, { value: null }, fresh)).body.data.value).toBe(
    null,
  );
  const [row] = await world.sql("select data from events where type = 'preference.set' limit 1");
  expect(row.data).toEqual({ userId: owner.userId, key: "views.incidents" });
  const member = await world.member(["member"]);
  expect((await member(`GET ${ALL}/views.incidents`)).status).toBe(404);
  expect((await member(`DELETE ${ALL}/views.incidents`)).status).toBe(404);
  expect((await member(`GET ${ALL}`)).body.data.preferences).toEqual([]);
  expect(await owner(`DELETE ${ALL}/views.incidents`)).toMatchObject({
    status: 204,
    events: ["preference.deleted"],
  });
  expect((await owner(`GET ${ALL}/views.incidents`)).status).toBe(404);
});

test("sizes, names and numbers are limited", async () => {
  const large = { value: "x".repeat(16_384) };
  const refused = await owner(`PUT ${ALL}/large`, large);
  expect([refused.status, refused.body.errors[0].path]).toEqual([422, "/value"]);
  expect((await owner(`PUT ${ALL}/large`, { value: "x".repeat(16_382) })).status).toBe(200);
  for (const key of ["Theme", "a%20b", "9", "a".repeat(101), "%00"]) {
    const { status, events } = await owner(`PUT ${ALL}/${key}`, { value: 1 });
    expect([status >= 400 && status < 500, events]).toEqual([true, []]);
  }
  const other = await world.member(["viewer"]);
  await world.sql(
    `insert into preferences (workspace_id, user_id, key, value, updated_at)
     select m.workspace_id, m.user_id, 'k' || n, '1', now()
       from memberships m, generate_series(1, 200) n where m.user_id = $1`,
    [other.userId],
  );
  expect(await other(`PUT ${ALL}/one-more`, { value: 1 })).toMatchObject({
    status: 409,
    body: { code: "too_many_preferences" },
    events: [],
  });
  expect((await other(`PUT ${ALL}/k7`, { value: 2 })).status).toBe(200);
  // Concurrent requests cannot exceed the limit together.
  for (const key of ["k1", "k2"]) await other(`DELETE ${ALL}/${key}`);
  const many = Array.from({ length: 12 }, (_, n) => other(`PUT ${ALL}/new${n}`, { value: 1 }));
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(2);
});

test("preferences belong to a workspace and are deleted with the membership", async () => {
  const there = await world.workspace("elsewhere");
  const stranger = await world.member(["owner"], there);
  await stranger(`PUT ${ALL}/theme`, { value: "dark" });
  expect((await owner(`GET ${ALL}/theme`)).status).toBe(404);
  await world.sql("delete from memberships where user_id = $1", [stranger.userId]);
  expect(await world.sql("select 1 from preferences where key = 'theme'")).toEqual([]);
  expect((await world.stranger(`GET ${ALL}`)).status).toBe(401);
});
