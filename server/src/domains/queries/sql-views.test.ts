import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const builder = await world.member(["builder"]);
const elsewhere = await world.member(["owner"], await world.workspace("elsewhere"));

const run = async (ask: Ask, sql: string): Promise<any> => {
  const { body } = await ask("POST /api/v1/queries/run", { sql });
  return body.data?.rows ?? `${body.code}: ${body.detail}`;
};

await owner("POST /api/v1/itsm/incidents", { title: "Router down", impact: 1, urgency: 1 });
await owner("POST /api/v1/itsm/problems", { title: "Routers fail" });
await owner("POST /api/v1/cmdb/items", { class: "server", name: "web-1" });

test("tickets, items and events are SQL tables, also without user tables, and can be joined", async () => {
  await world.settled();
  const kinds = await run(
    owner,
    "select kind, count(*) as n from tickets group by kind order by kind",
  );
  expect(kinds).toEqual([
    { kind: "incident", n: 1 },
    { kind: "problem", n: 1 },
  ]);
  const told = await run(
    owner,
    "select t.title, e.type from tickets t join events e on e.resource_id = t.id where e.type = 'incident.created'",
  );
  expect(told).toEqual([{ title: "Router down", type: "incident.created" }]);
  expect(
    await run(owner, "select count(*) as n from runs, sla_clocks, configuration_relationships"),
  ).toEqual([{ n: 0 }]);
  expect(await run(owner, "select name from configuration_items")).toEqual(expect.any(Array));
});

test("SQL returns only readable data and does not return data of other workspaces", async () => {
  expect(await run(elsewhere, "select count(*) as n from tickets")).toEqual([{ n: 0 }]);
  expect(
    await run(elsewhere, "select count(*) as n from events where type = 'incident.created'"),
  ).toEqual([{ n: 0 }]);
  const views = (await builder("GET /api/v1/queries/views")).body.data.views.map(
    ({ name }: any) => name,
  );
  for (const name of ["tickets", "sla_clocks", "configuration_items", "events", "runs"]) {
    const answer = await run(builder, `select count(*) as n from ${name}`);
    const isRead = Array.isArray(answer);
    expect(isRead || String(answer).includes("you can't view it")).toBe(true);
    if (isRead) expect(views).toContain(name);
  }
  for (const sql of [
    "select * from sql_views.tickets",
    "select * from public.tickets",
    "select workspace_id from tickets",
    "select * from blobs",
  ]) {
    expect(await run(owner, sql)).toMatch(/^query_/);
  }
});

test("a user table hides the view with its name", async () => {
  await owner("POST /api/v1/tables", {
    name: "runs",
    slug: "runs",
    columns: [{ name: "km", type: "integer" }],
  });
  await owner("POST /api/v1/tables/runs/records", { km: 42 });
  expect(await run(owner, "select km from runs")).toEqual([{ km: 42 }]);
});
