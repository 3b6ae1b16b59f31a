import { expect, test } from "vitest";
import { openKernel } from "#domains/bus/testing/node.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

const PATH = "/api/v1/itsm/incidents";
const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;
const outcome = { resolution: "Replaced the router" };

const world = await useWorld();
const agent = await world.member(["agent"]);

async function raise(title: string, more: object = {}, ask: Ask = agent): Promise<any> {
  return (await ask(`POST ${PATH}`, { title, ...more })).body.data;
}

async function raiseMajor(title: string): Promise<any> {
  const { id } = await raise(title);
  return (await agent(`POST ${PATH}/${id}/major`)).body.data;
}

async function eventsOf(id: string): Promise<any[]> {
  return (await world.sql(
    "select type, actor_type, actor_name, data, correlation_id from events where resource_id = $1 order by epoch, xid, seq",
    [id],
  )) as any[];
}

test("an incident becomes a major one and an ordinary one again", async () => {
  const { id } = await raise("No network");
  const declared = await agent(`POST ${PATH}/${id}/major`, { reason: "All branches" });
  expect(declared).toMatchObject({
    status: 200,
    events: ["incident.major_declared"],
    body: { data: { isMajor: true } },
  });
  const [, event] = await eventsOf(id);
  expect(event.data).toEqual({ ...declared.body.data, reason: "All branches" });
  const again = await agent(`POST ${PATH}/${id}/major`);
  expect(again).toMatchObject({
    status: 409,
    body: { code: "incident_already_major" },
    events: [],
  });
  const ended = await agent(`DELETE ${PATH}/${id}/major`);
  expect(ended).toMatchObject({
    status: 200,
    events: ["incident.major_ended"],
    body: { data: { isMajor: false } },
  });
  const twice = await agent(`DELETE ${PATH}/${id}/major`);
  expect(twice).toMatchObject({ status: 409, body: { code: "incident_not_major" }, events: [] });
  await agent(`POST ${PATH}/${id}/cancel`);
  const late = await agent(`POST ${PATH}/${id}/major`);
  expect(late).toMatchObject({ status: 409, body: { code: "incident_wrong_state" }, events: [] });
});

test("only a major incident has children; a child has one parent and no children", async () => {
  const parent = await raiseMajor("No network");
  const elsewhere = await raiseMajor("No power");
  const [child, plain] = [await raise("No mail"), await raise("No telephone")];
  const add = (to: any, incidentId: string) =>
    agent(`POST ${PATH}/${to.id}/children`, { incidentId });
  const linked = await add(parent, child.number);
  expect(linked).toMatchObject({
    status: 200,
    events: ["incident.child_linked"],
    body: { data: { id: child.id, parentId: parent.id } },
  });
  const { id, number, title, state } = child;
  expect((await eventsOf(parent.id)).at(-1)).toMatchObject({
    type: "incident.child_linked",
    data: { id: parent.id, child: { kind: "incident", id, number, title, state } },
  });
  expect((await add(parent, child.id)).events).toEqual([]);
  const code = async (answer: ReturnType<Ask>) => {
    const { status, body, events } = await answer;
    expect(events).toEqual([]);
    return [status, body.code, body.errors?.[0].path];
  };
  expect(await code(add(plain, child.id))).toEqual([409, "incident_not_major", undefined]);
  expect(await code(add(child, plain.id))).toEqual([409, "incident_not_major", undefined]);
  expect(await code(add(elsewhere, child.id))).toEqual([409, "incident_is_child", undefined]);
  expect(await code(add(elsewhere, parent.id))).toEqual([409, "incident_is_child", undefined]);
  expect(await code(add(parent, parent.id))).toEqual([422, "invalid", "/incidentId"]);
  expect(await code(add(parent, "INC9999999"))).toEqual([422, "invalid", "/incidentId"]);
  expect(await code(agent(`POST ${PATH}/${child.id}/major`))).toEqual([
    409,
    "incident_is_child",
    undefined,
  ]);

  await add(parent, plain.id);
  const children = async () => {
    const { body } = await agent(`GET ${PATH}/${parent.number}/children`);
    return body.data.map((one: { id: string }) => one.id);
  };
  expect(await children()).toEqual([child.id, plain.id]);
  const page = await agent(`GET ${PATH}/${parent.id}/children?limit=1`);
  const rest = await agent(
    `GET ${PATH}/${parent.id}/children?limit=1&after=${page.body.pagination.nextCursor}`,
  );
  expect(rest.body.data).toMatchObject([{ id: plain.id }]);
  const unlinked = await agent(`DELETE ${PATH}/${parent.id}/children/${child.number}`);
  expect(unlinked).toMatchObject({ status: 204, events: ["incident.child_unlinked"] });
  expect((await agent(`DELETE ${PATH}/${parent.id}/children/${child.id}`)).status).toBe(404);
  expect(await children()).toEqual([plain.id]);
  const ended = await agent(`DELETE ${PATH}/${parent.id}/major`);
  expect(ended.events).toEqual(["incident.child_unlinked", "incident.major_ended"]);
  expect((await agent(`GET ${PATH}/${plain.id}`)).body.data.parentId).toBeNull();
});

test("two incidents never become each other's child concurrently", async () => {
  const [a, b] = [await raise("One"), await raise("Other")];
  const turns = await Promise.all(
    [
      [a, b],
      [b, a],
    ].map(async ([parent, child]) => {
      await agent(`POST ${PATH}/${parent.id}/major`);
      return agent(`POST ${PATH}/${parent.id}/children`, { incidentId: child.id });
    }),
  );
  const linked = turns.filter(({ events }) => events.length > 0);
  expect(linked.length).toBeLessThanOrEqual(1);
  const rows = await world.sql("select is_major, parent_id from incidents where id = any($1)", [
    [a.id, b.id],
  ]);
  expect(rows.filter(({ parent_id }) => parent_id !== null)).toHaveLength(linked.length);
  expect(rows.filter((row) => row.is_major && row.parent_id !== null)).toEqual([]);
});

test("a major incident is resolved with its open children on request", async () => {
  const parent = await raiseMajor("No network");
  const children = [await raise("No mail"), await raise("No web"), await raise("Nothing")];
  for (const { id } of children) {
    await agent(`POST ${PATH}/${parent.id}/children`, { incidentId: id });
  }
  await agent(`POST ${PATH}/${children[1].id}/cancel`);
  const done = await agent(`POST ${PATH}/${parent.id}/resolve`, {
    ...outcome,
    resolutionCode: "workaround",
    resolveChildren: true,
  });
  expect(done.events).toEqual(Array.from({ length: 3 }, () => "incident.resolved"));
  const states = await Promise.all(
    children.map(async ({ id }) => (await agent(`GET ${PATH}/${id}`)).body.data),
  );
  const solved = { state: "resolved", ...outcome, resolutionCode: "workaround" };
  expect(states).toMatchObject([solved, { state: "cancelled", resolution: null }, solved]);
  expect((await eventsOf(children[2].id)).at(-1)).toMatchObject({
    type: "incident.resolved",
    data: states[2],
  });

  const alone = await raiseMajor("No power");
  const child = await raise("No light");
  await agent(`POST ${PATH}/${alone.id}/children`, { incidentId: child.id });
  expect((await agent(`POST ${PATH}/${alone.id}/resolve`, outcome)).events).toHaveLength(1);
  expect((await agent(`GET ${PATH}/${child.id}`)).body.data.state).toBe("new");
});

test("resolved incidents close automatically, once, after the configured number of days", async () => {
  const patient = await world.workspace("patient");
  const [owner, never] = [await world.member(["owner"]), await world.member(["owner"], patient)];
  await never("PATCH /api/v1/itsm/settings", { autoCloseDays: 0 });
  const resolve = async (title: string, ask: Ask = agent): Promise<string> => {
    const { id } = await raise(title, {}, ask);
    await ask(`POST ${PATH}/${id}/resolve`, outcome);
    return id;
  };
  const stateOf = async (id: string, ask: Ask = agent) =>
    (await ask(`GET ${PATH}/${id}`)).body.data.state as string;
  const [early, again, kept] = [
    await resolve("Early"),
    await resolve("Again"),
    await resolve("Kept", never),
  ];
  world.clock.advance(3 * DAY_MS);
  const late = await resolve("Late");
  await agent(`POST ${PATH}/${again}/reopen`);
  await agent(`POST ${PATH}/${again}/resolve`, outcome);
  // Slightly more, because the test clock is repeatedly synchronised with the database clock.
  world.clock.advance(4 * DAY_MS + MINUTE_MS);

  // No worker was running at the due time. Now two are.
  const node = await openKernel(world);
  await using _ = { [Symbol.asyncDispose]: () => node.close() };
  await Promise.all([world.kernel.startWork(), node.startWork()]);
  await until(async () => (await stateOf(early)) === "closed");
  expect(await stateOf(again)).toBe("resolved");
  expect(await stateOf(late)).toBe("resolved");

  // A shorter setting also applies to incidents resolved before.
  await owner("PATCH /api/v1/itsm/settings", { autoCloseDays: 2 });
  await until(async () => {
    // A running check may have passed already, so another check can be needed.
    world.clock.advance(MINUTE_MS);
    return (await stateOf(again)) === "closed" && (await stateOf(late)) === "closed";
  });
  expect(await stateOf(kept, never)).toBe("resolved");
  const closings = await Promise.all(
    [early, late, again].map(async (id) => (await eventsOf(id)).at(-1)),
  );
  for (const [index, id] of [early, late, again].entries()) {
    const events = await eventsOf(id);
    expect(events.filter(({ type }) => type === "incident.closed")).toHaveLength(1);
    expect(closings[index]).toMatchObject({ type: "incident.closed", actor_type: "system" });
    expect(closings[index].data).toEqual((await agent(`GET ${PATH}/${id}`)).body.data);
  }
  expect(new Set(closings.map((event) => event.correlation_id)).size).toBe(3);
});

test("assignees are notified, and a broadcast notifies all who are involved in a major incident", async () => {
  const [taker, watcher, sufferer, stranger] = await Promise.all(
    ["agent", "agent", "viewer", "agent"].map((role) => world.member([role])),
  );
  if (!taker || !watcher || !sufferer || !stranger) throw new Error("There are four.");
  const inbox = async (ask: Ask) =>
    (await ask("GET /api/v1/notifications")).body.data.map(({ title }: { title: string }) => title);
  const parent = await raiseMajor("No network");
  await agent(`POST ${PATH}/${parent.id}/assign`, { assigneeId: agent.userId });
  const child = await raise("No mail", { assigneeId: taker.userId, callerId: sufferer.userId });
  await agent(`POST ${PATH}/${parent.id}/children`, { incidentId: child.id });
  await watcher(`POST ${PATH}/${child.id}/watchers`);
  const told = await agent(`POST ${PATH}/${parent.id}/broadcast`, { message: "An hour more" });
  expect(told).toMatchObject({ status: 200, events: ["incident.broadcast"] });
  expect((await eventsOf(parent.id)).at(-1).data).toEqual({
    ...told.body.data,
    message: "An hour more",
  });
  const word = `${parent.number}: No network`;
  // Two log readers send these notifications independently.
  const assigned = `${child.number} was assigned to you`;
  const raised = `${child.number} was created for you`;
  await expect
    .poll(async () => (await inbox(taker)).toSorted())
    .toEqual([word, assigned].toSorted());
  await expect.poll(() => inbox(watcher)).toEqual([word]);
  await expect
    .poll(async () => (await inbox(sufferer)).toSorted())
    .toEqual([word, raised].toSorted());
  expect(await inbox(stranger)).toEqual([]);
  expect(await inbox(agent)).not.toContain(word);
  const refused = await agent(`POST ${PATH}/${child.id}/broadcast`, { message: "?" });
  expect(refused).toMatchObject({ status: 409, body: { code: "incident_not_major" }, events: [] });
});
