import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { send, startNode } from "#domains/bus/testing/node.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { PERSON_THINGS_MAX, PRESENCES_MAX, SESSION_THINGS_MAX } from "./presence.ts";

const world = await useWorld();
const ada = await world.member(["owner"]);
const ben = await world.member(["builder"]);
await world.app.listen({ port: 0, host: "127.0.0.1" });
const { port } = world.app.server.address() as AddressInfo;

const newIncident = async (): Promise<string> =>
  (await ada("POST /api/v1/itsm/incidents", { title: "Seen by two" })).body.data.id;

const pathOf = (thing: string): string => `/api/v1/presence/${thing}`;

/** The presence changes that a user receives on the log's stream, oldest first. */
async function listen(by: { token: string }, query = "?presence=true") {
  const headers = { authorization: `Bearer ${by.token}`, "x-workspace": "default" };
  const path = `/api/v1/events/topics/platform.events/stream${query}`;
  const request = get({ port, path, headers });
  request.on("error", () => undefined);
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  let text = "";
  response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await until(async () => text.includes("retry:"));
  const blocks = (): string[] => text.split("\n\n").slice(0, -1);
  return {
    blocks,
    changes: () =>
      blocks()
        .filter((block) => block.startsWith("event: presence.changed\ndata: "))
        .map((block) => JSON.parse(block.slice(block.indexOf("{")))),
  };
}

const names = ({ people }: any): string[] => people.map((one: any) => `${one.state} ${one.at}`);

test("users at a resource see each other join, act and leave live, and the log does not record it", async () => {
  const thing = await newIncident();
  const heard = await listen(ada);
  const deaf = await listen(ada, "");
  const first = await ada(`PUT ${pathOf(thing)}`, { state: "viewing" });
  expect(first).toMatchObject({
    status: 200,
    body: { data: { thing, people: [{ userId: ada.userId, you: true, at: null, sessions: 1 }] } },
    events: [],
  });
  expect((await ben(`PUT ${pathOf(thing)}`, { state: "editing", at: "title" })).events).toEqual([]);
  await until(async () => names(heard.changes().at(-1) ?? { people: [] }).length === 2);
  expect(heard.changes().at(-1)).toMatchObject({
    thing,
    people: [
      { userId: ada.userId, state: "viewing", you: true },
      { userId: ben.userId, state: "editing", at: "title", you: false },
    ],
  });
  const count = heard.changes().length;
  // Renewals are not announced.
  await ben(`PUT ${pathOf(thing)}`, { state: "editing", at: "title" });
  await ben(`PUT ${pathOf(thing)}`, { state: "editing", at: "cause" });
  await until(async () => heard.changes().length > count);
  expect(heard.changes().length).toBe(count + 1);
  expect(names(heard.changes().at(-1))).toEqual(["viewing null", "editing cause"]);
  expect(await ben(`DELETE ${pathOf(thing)}`)).toMatchObject({ status: 204, events: [] });
  await until(async () => names(heard.changes().at(-1)).length === 1);
  expect(heard.blocks().filter((block) => /^id: .*\nevent: presence/.test(block))).toEqual([]);
  expect(deaf.changes()).toEqual([]);
  expect(await world.sql("select 1 from events where resource_id = $1", [thing])).toHaveLength(1);
});

test("presence expires after half a minute, and others are notified", async () => {
  const thing = await newIncident();
  const heard = await listen(ada);
  await ben(`PUT ${pathOf(thing)}`, { state: "editing" });
  await ada(`PUT ${pathOf(thing)}`, { state: "viewing" });
  await until(async () => heard.changes().at(-1)?.people.length === 2);
  world.clock.advance(20_000);
  await ada(`PUT ${pathOf(thing)}`, { state: "viewing" });
  world.clock.advance(15_000);
  await until(async () => heard.changes().at(-1)?.people.length === 1);
  const { body } = await ada(`GET ${pathOf(thing)}`);
  expect(body.data.people.map(({ userId }: any) => userId)).toEqual([ada.userId]);
});

test("only readers of the resource who are present see others", async () => {
  const thing = await newIncident();
  const stranger = await world.member(["owner"], await world.workspace("presence-elsewhere"));
  const limited = (
    await ada("POST /api/v1/settings/roles", {
      name: "Only presence",
      permissions: ["presence:share", "events:read"],
    })
  ).body.data.id;
  const blind = await world.member([limited]);
  const heard = await listen(blind);
  const bystander = await listen(ben);
  for (const [by, status] of [
    [stranger, 404],
    [blind, 403],
  ] as const) {
    expect(await by(`PUT ${pathOf(thing)}`, { state: "viewing" })).toMatchObject({ status });
    expect(await by(`GET ${pathOf(thing)}`)).toMatchObject({ status });
    expect(await by(`DELETE ${pathOf(thing)}`)).toMatchObject({ status });
  }
  for (const unknown of ["inc_01jd0000000000000000000000", "xyz_01jd0000000000000000000000", "17"])
    expect((await ada(`PUT ${pathOf(unknown)}`, { state: "viewing" })).status).toBe(404);
  const own = await listen(ada);
  // A token of the same user without access to the resource does not see it either.
  const { body } = await ada("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "30d",
    scopes: ["presence:share", "events:read"],
  });
  const robot = await listen({ token: body.data.token });
  await ada(`PUT ${pathOf(thing)}`, { state: "editing" });
  await until(async () => own.changes().length > 0);
  expect([heard, bystander, robot].flatMap(({ changes }) => changes())).toEqual([]);
  const requester = await world.member(["requester"]);
  const left = await world.member(["agent"]);
  const staying = await listen(left);
  await left(`PUT ${pathOf(thing)}`, { state: "viewing" });
  await until(async () => staying.changes().length > 0);
  await ada(`DELETE /api/v1/settings/users/${left.userId}`);
  expect((await requester(`GET ${pathOf(thing)}`)).status).toBe(403);
  expect((await left(`GET ${pathOf(thing)}`)).status).toBe(401);
});

test("works for every resource with an id and an address", async () => {
  const { body: table } = await ada("POST /api/v1/tables", {
    name: "Seen",
    columns: [{ name: "title", type: "text" }],
  });
  const { body: team } = await ada("POST /api/v1/itsm/teams", { name: "Seen" });
  for (const { id } of [table.data, team.data]) {
    const answer = await ada(`PUT ${pathOf(id)}`, { state: "editing", at: "rec_1" });
    expect(answer).toMatchObject({ status: 200, body: { data: { thing: id } } });
  }
});

test("other nodes receive changes", async () => {
  const thing = await newIncident();
  const heard = await listen(ada);
  await ada(`PUT ${pathOf(thing)}`, { state: "viewing" });
  await using other = await startNode(world);
  await send(other.app, ben, `PUT ${pathOf(thing)}`, { state: "editing" });
  await until(async () => heard.changes().at(-1)?.people.length === 2);
});

test("limits resources per session, per user and per workspace", async () => {
  const things = await Promise.all(Array.from({ length: SESSION_THINGS_MAX + 1 }, newIncident));
  const carl = await world.member(["agent"]);
  for (const thing of things) {
    world.clock.advance(1);
    await carl(`PUT ${pathOf(thing)}`, { state: "viewing" });
  }
  const kept = await world.sql("select thing from presence where user_id = $1", [carl.userId]);
  expect(kept.map(({ thing }) => thing).toSorted()).toEqual(things.slice(1).toSorted());
  await world.sql(
    `insert into presence
     select workspace_id, environment, thing, user_id, 'other ' || n, 'x', 'viewing', null, since,
            expires_at - interval '1 second'
       from generate_series(1, $2) n, (select * from presence where user_id = $1 limit 1) p`,
    [carl.userId, PERSON_THINGS_MAX],
  );
  await carl(`PUT ${pathOf(things.at(-1)!)}`, { state: "viewing" });
  const all = await world.sql("select from presence where user_id = $1", [carl.userId]);
  expect(all).toHaveLength(PERSON_THINGS_MAX);
  await world.sql("delete from presence where session_id like 'other %' and user_id = $1", [
    carl.userId,
  ]);
  await world.sql(
    `insert into presence
     select workspace_id, environment, thing, 'usr_' || n, 's', 'x', 'viewing', null, since,
            expires_at + interval '1 hour'
       from generate_series(1, $2) n, (select * from presence where thing = $1 limit 1) p`,
    [things.at(-1), PRESENCES_MAX],
  );
  onTestFinished(async () => void (await world.sql("delete from presence")));
  expect(await carl(`PUT ${pathOf(things[0]!)}`, { state: "viewing" })).toMatchObject({
    status: 409,
    body: { code: "presence_full" },
  });
  expect((await carl(`PUT ${pathOf(things[1]!)}`, { state: "viewing" })).status).toBe(200);
});

test("a list requests presence once for all its rows, limited to readable ones", async () => {
  const [open, free] = [await newIncident(), await newIncident()];
  await ben(`PUT ${pathOf(open)}`, { state: "editing" });
  const path = `GET /api/v1/presence?things=${open},${free}`;
  const seen = await ada(path);
  expect(seen.body.data.things.map(({ thing, people }: any) => [thing, names({ people })])).toEqual(
    [[open, ["editing null"]]],
  );
  const stranger = await world.member(["member"]);
  expect((await stranger(path)).body.data.things).toEqual([]);
});
