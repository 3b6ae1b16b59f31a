import { afterAll, expect, test } from "vitest";
import type { Kernel } from "#kernel/kernel.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { BREACH_SIGNAL } from "./clocks/announcer/breach-announcer.ts";
import { workingNode } from "./testing/ticket-events.ts";

const MINUTE_MS = 60_000;
const POLICIES = "/api/v1/itsm/sla-policies";
const INCIDENTS = "/api/v1/itsm/incidents";

let node: Kernel;
const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);
await world.sql("update sessions set expires_at = '2100-01-01'");
node = await workingNode(world);
afterAll(async () => {
  await node.close();
});

function pass(minutes: number, on: readonly Kernel[] = [node]): void {
  world.clock.advance(minutes * MINUTE_MS);
  for (const one of on) for (const work of [BREACH_SIGNAL, "jobs"]) one.wakeSignal.raise(work);
}

let count = 0;
/** Creates a policy for incidents of one category, so that tests are independent. */
async function policy(more: object = {}): Promise<{ id: string; category: string }> {
  count += 1;
  const category = `category ${count}`;
  const { status, body } = await owner(`POST ${POLICIES}`, {
    name: `Policy ${count}`,
    entity: "incident",
    conditions: { category },
    targets: [{ metric: "resolution", minutes: 10 }],
    pauseOn: ["on_hold"],
    ...more,
  });
  expect(status).toBe(201);
  return { id: body.data.id, category };
}
async function raised(category: string, more: object = {}): Promise<string> {
  const given = { title: `An incident of ${category}`, category, ...more };
  const { status, body } = await owner(`POST ${INCIDENTS}`, given);
  expect(status).toBe(201);
  return body.data.id;
}
const rowsOf = (ticketId: string): Promise<any[]> =>
  world.sql("select * from sla_clocks where ticket_id = $1 order by no", [ticketId]);
/** Resolves when the reader has written this number of clocks of a ticket and the condition holds. */
const kept = (ticketId: string, holds: (rows: any[]) => boolean = (rows) => rows.length > 0) =>
  until(async () => {
    const rows = await rowsOf(ticketId);
    return holds(rows) && rows;
  });
const alertsOf = async (
  ticketId: string,
  types = /sla.(warning|breached)/.source,
): Promise<string[]> =>
  (
    await world.sql(
      `select type from events where resource_id = $1 and type ~ $2 order by epoch, xid, seq`,
      [ticketId, types],
    )
  ).map(({ type }) => type);
const clocksOf = async (ticketId: string): Promise<any[]> =>
  (await owner(`GET ${INCIDENTS}/${ticketId}/sla`)).body.data;
const WARNED = ["incident.sla_warning", "sla.warning"];
const BREACHED = ["incident.sla_breached", "sla.breached"];

test("a policy is created, read, changed and deleted", async () => {
  const made = await owner(`POST ${POLICIES}`, {
    name: "Gold",
    entity: "change",
    targets: [{ metric: "response", minutes: 0.5 }],
  });
  expect(made).toMatchObject({
    status: 201,
    events: ["sla_policy.created"],
    headers: { etag: '"1"' },
    body: {
      data: {
        name: "Gold",
        entity: "change",
        conditions: {},
        targets: [{ metric: "response", minutes: 0.5 }],
        calendar: null,
        pauseOn: [],
        warnAtPercent: 80,
        active: true,
      },
    },
  });
  const path = `${POLICIES}/${made.body.data.id}`;
  const changed = await owner(`PATCH ${path}`, { warnAtPercent: 90, name: "Gold" });
  expect(changed).toMatchObject({ status: 200, events: ["sla_policy.updated"] });
  expect(await owner(`PATCH ${path}`, { warnAtPercent: 90 })).toMatchObject({
    status: 200,
    events: [],
    headers: { etag: '"2"' },
  });
  for (const query of ["entity=change", "q=gold", 'filter={"warnAtPercent":90}']) {
    const { body } = await owner(`GET ${POLICIES}?count=exact&${encodeURI(query)}`);
    expect(body).toMatchObject({ data: [changed.body.data], pagination: { total: 1 } });
  }
  expect(await owner(`DELETE ${path}`)).toMatchObject({
    status: 204,
    events: ["sla_policy.deleted"],
  });
  expect((await owner(`GET ${path}`)).status).toBe(404);
});

const hours = [{ days: [1], from: "09:00", to: "17:00" }];
test.each<[string, object]>([
  ["/conditions/priority/like", { conditions: { priority: { like: 1 } } }],
  ["/targets/1/metric", { targets: [1, 2].map((minutes) => ({ metric: "response", minutes })) }],
  ["/targets/0/minutes", { targets: [{ metric: "response", minutes: 0 }] }],
  ["/targets/0/minutes", { targets: [{ metric: "response", minutes: 525_601 }] }],
  ["/targets", { targets: [] }],
  ["/calendar/timezone", { calendar: { timezone: "Mars/Olympus", hours, holidays: [] } }],
  ["/calendar/timezone", { calendar: { timezone: "+02:00", hours, holidays: [] } }],
  ["/calendar/hours", { calendar: { timezone: "UTC", hours: [], holidays: [] } }],
  [
    "/calendar/hours/0/days",
    { calendar: { timezone: "UTC", hours: [{ ...hours[0], days: [] }], holidays: [] } },
  ],
  [
    "/calendar/hours/0/to",
    { calendar: { timezone: "UTC", hours: [{ ...hours[0], to: "09:00" }], holidays: [] } },
  ],
  ["/calendar/holidays/0", { calendar: { timezone: "UTC", hours, holidays: ["2026-02-30"] } }],
  ["/pauseOn/0", { pauseOn: ["asleep"] }],
])("a policy with an error at %s is rejected: %j", async (path, fault) => {
  const sound = { name: "Any", entity: "incident", targets: [{ metric: "response", minutes: 1 }] };
  const answer = await owner(`POST ${POLICIES}`, { ...sound, ...fault });
  expect(answer).toMatchObject({ status: 422, events: [] });
  expect(answer.body.errors.map((one: any) => one.path)).toContain(path);
});

test("a warning and a breach are announced once each, and notify the assignee or the team", async () => {
  const { id: policyId, category } = await policy();
  const id = await raised(category, { assigneeId: agent.userId });
  const [row] = await kept(id);
  pass(8);
  await until(async () => (await alertsOf(id)).length === 2);
  expect(await alertsOf(id)).toEqual(WARNED);
  pass(2);
  await until(async () => (await alertsOf(id)).length === 4);
  pass(60);
  const [clock] = await clocksOf(id);
  const dueAt = row.due_at.toISOString();
  expect(clock).toMatchObject({ policyId, state: "breached", counting: true, dueAt });
  expect(clock).toMatchObject({ remainingMs: 0, breachedAt: dueAt, stoppedAt: null });
  const [told] = await world.sql(
    "select * from events where resource_id = $1 and type = 'incident.sla_breached'",
    [id],
  );
  const { body } = await owner(`GET ${INCIDENTS}/${id}`);
  const { number, title, state, priority, assigneeId, teamId } = body.data;
  expect(told).toMatchObject({ resource_type: "incident", resource_number: number });
  expect(told.data).toEqual({
    policyId,
    policyName: `Policy ${count}`,
    metric: "resolution",
    name: "resolution",
    percent: 100,
    targetMinutes: 10,
    dueAt,
    ticket: { kind: "incident", id, number, title, state, priority, assigneeId, teamId },
  });
  await until(async () => {
    const inbox = await agent("GET /api/v1/notifications");
    const own = inbox.body.data.filter((one: any) => one.resource?.id === id);
    return own.filter((one: any) => one.eventType?.startsWith("sla.")).length === 2;
  });
  // The clock ends and stays breached.
  await owner(`POST ${INCIDENTS}/${id}/resolve`, { resolution: "Done" });
  await owner(`POST ${INCIDENTS}/${id}/reopen`, {});
  await kept(id, ([one]) => one.timeline.length === 3);
  pass(60);
  expect((await clocksOf(id))[0]).toMatchObject({ state: "breached", counting: true });
  expect(await alertsOf(id)).toEqual([...WARNED, ...BREACHED]);
});

test("a clock pauses and continues; after a reopen it continues from its last value", async () => {
  const targets = [
    { metric: "response", minutes: 30 },
    { metric: "resolution", minutes: 60 },
  ];
  const { category } = await policy({ targets });
  const id = await raised(category);
  pass(5);
  await agent(`POST ${INCIDENTS}/${id}/comments`, { body: "We are on it.", internal: false });
  pass(5);
  await agent(`PATCH ${INCIDENTS}/${id}`, { state: "on_hold", onHoldReason: "Parts" });
  pass(600);
  expect(await clocksOf(id)).toMatchObject([
    { metric: "response", state: "met", counting: false },
    { metric: "resolution", state: "paused", dueAt: null, counting: false },
  ]);
  await agent(`PATCH ${INCIDENTS}/${id}`, { state: "in_progress" });
  pass(5);
  await agent(`POST ${INCIDENTS}/${id}/resolve`, { resolution: "Done" });
  pass(600);
  await agent(`POST ${INCIDENTS}/${id}/reopen`, {});
  pass(5);
  const [response, resolution] = await clocksOf(id);
  const minutesOf = (clock: any): number => Math.floor(clock.elapsedMs / MINUTE_MS);
  expect([minutesOf(response), minutesOf(resolution)]).toEqual([5, 20]);
  expect(resolution).toMatchObject({ state: "running", counting: true, stoppedAt: null });
  expect(resolution.timeline.map((one: any) => one.change)).toEqual([
    "started",
    "paused",
    "resumed",
    "stopped",
    "restarted",
  ]);
  // The incrementally written clock equals the complete fold of the log.
  const rows = await kept(id, (all) => all[1]?.timeline.length === 5);
  expect(rows.map((row) => row.timeline)).toEqual([response.timeline, resolution.timeline]);
  expect(rows[1].due_at.toISOString()).toBe(resolution.dueAt);
  expect(await alertsOf(id)).toEqual([]);
});

test("a policy that no longer matches stops its clock, equally in the ticket, the list and the log", async () => {
  const { id: policyId, category } = await policy();
  const id = await raised(category);
  await kept(id);
  pass(5);
  await owner(`PATCH ${INCIDENTS}/${id}`, { category: "elsewhere" });
  const [row] = await kept(id, ([one]) => one.state === "cancelled");
  expect([row.due_at, row.next_at, row.breached_at]).toEqual([null, null, null]);
  pass(60);
  const [clock] = await clocksOf(id);
  const stopped = { state: "cancelled", counting: false, dueAt: null, breachedAt: null };
  expect(clock).toMatchObject({ ...stopped, warnedAt: null, elapsedMs: row.fold.left.elapsedMs });
  expect(Math.floor(clock.elapsedMs / MINUTE_MS)).toBe(5);
  expect(clock.timeline).toEqual(row.timeline);
  const board = await owner(`GET /api/v1/itsm/sla/clocks?policyId=${policyId}`);
  expect(board.body.data).toMatchObject([{ ...stopped, elapsedMs: clock.elapsedMs }]);
  expect(await alertsOf(id, "sla")).toEqual(["sla.cancelled"]);
});

test("runs the response clock of an incident until a response to the caller", async () => {
  const targets = [{ metric: "response", minutes: 30 }];
  const { category } = await policy({ targets });
  const taken = { category, title: "By telephone", callerId: member.userId };
  const { body } = await agent(`POST ${INCIDENTS}`, taken);
  const path = `${INCIDENTS}/${body.data.id}`;
  const stateOf = async () => (await clocksOf(body.data.id)).map((one: any) => one.state);
  await agent(`PATCH ${path}`, { state: "on_hold", onHoldReason: "Lunch" });
  expect(await stateOf()).toEqual(["paused"]);
  await agent(`PATCH ${path}`, { state: "in_progress" });
  await agent(`POST ${path}/comments`, { body: "Who knows this one?", internal: true });
  expect(await stateOf()).toEqual(["running"]);
  await agent(`POST ${path}/comments`, { body: "We are on it." });
  expect(await stateOf()).toEqual(["met"]);
});

test("a policy that matches later counts from the creation, and ends when it no longer matches", async () => {
  const { category } = await policy();
  const id = await raised("elsewhere");
  pass(20);
  await owner(`PATCH ${INCIDENTS}/${id}`, { category });
  await until(async () => (await alertsOf(id)).length === 2);
  expect(await alertsOf(id)).toEqual(BREACHED);
  await owner(`PATCH ${INCIDENTS}/${id}`, { category: "elsewhere" });
  await kept(id, ([row]) => row.state === "cancelled" && row.next_at === null);
  expect(await clocksOf(id)).toMatchObject([{ state: "cancelled", counting: false }]);
  await owner(`PATCH ${INCIDENTS}/${id}`, { category });
  await kept(id, ([row]) => row.state === "breached");
  const [clock] = await clocksOf(id);
  expect(clock.timeline.map((one: any) => one.change)).toEqual([
    "started",
    "policy_matched",
    "policy_left",
    "policy_matched",
  ]);
  const [row] = await rowsOf(id);
  expect(row.timeline).toEqual(clock.timeline);
  expect(await alertsOf(id)).toEqual(BREACHED);
});

test("a policy that is created, changed, deactivated or activated applies to open tickets", async () => {
  const id = await raised("category of a later policy");
  pass(5);
  const conditions = { category: "category of a later policy" };
  const { id: policyId } = await policy({ conditions });
  const path = `${POLICIES}/${policyId}`;
  const [first] = await kept(id);
  expect(first).toMatchObject({ state: "running", target_ms: "600000", policy_revision: 1 });
  pass(6);
  await until(async () => (await alertsOf(id)).length === 2);
  expect(await alertsOf(id)).toEqual(BREACHED);
  // A longer target resets the breach, so it can be breached again.
  await owner(`PATCH ${path}`, { targets: [{ metric: "resolution", minutes: 60 }] });
  const [longer] = await kept(id, ([row]) => row.policy_revision === 2);
  expect(longer).toMatchObject({ state: "running", breached_at: null, target_ms: "3600000" });
  await owner(`PATCH ${path}`, { active: false });
  await kept(id, ([row]) => row.state === "cancelled" && row.next_at === null);
  const [off] = await clocksOf(id);
  expect(off).toMatchObject({ state: "cancelled", counting: false });
  expect(off.timeline.map((one: any) => one.change)).toEqual(["started", "policy_left"]);
  pass(60);
  await owner(`PATCH ${path}`, { active: true });
  await until(async () => (await alertsOf(id)).length === 4);
  expect(await alertsOf(id)).toEqual([...BREACHED, ...BREACHED]);
  await owner(`DELETE ${path}`);
  await kept(id, ([row]) => row.state === "cancelled");
  expect(await clocksOf(id)).toMatchObject([{ state: "cancelled" }]);
});

test("removing a target cancels its clocks; ended work is not evaluated again", async () => {
  const targets = ["response", "resolution"].map((metric) => ({ metric, minutes: 60 }));
  const { id: policyId, category } = await policy({ targets });
  const [open, over] = [await raised(category), await raised(category)];
  pass(30);
  await owner(`POST ${INCIDENTS}/${over}/resolve`, { resolution: "Done" });
  const resolved = await raised(category);
  pass(30);
  await owner(`POST ${INCIDENTS}/${resolved}/resolve`, { resolution: "Done" });
  await owner(`POST ${INCIDENTS}/${over}/close`, {});
  for (const [id, state] of [
    [over, "closed"],
    [resolved, "resolved"],
  ] as const) {
    await kept(id, (rows) => rows.length === 2 && rows.every((row) => row.ticket.state === state));
  }
  const change = { targets: [{ metric: "resolution", minutes: 5 }] };
  await owner(`PATCH ${POLICIES}/${policyId}`, change);
  await until(async () => (await alertsOf(open)).includes("sla.breached"));
  const [response, resolution] = await kept(open, ([row]) => row.state === "cancelled");
  expect([response.metric, resolution.state]).toEqual(["response", "breached"]);
  // With the new target the other two would be late, but they ended long before.
  await kept(resolved, ([, row]) => row.state === "breached");
  for (const id of [over, resolved]) expect(await alertsOf(id)).toEqual([]);
  expect(await clocksOf(over)).toMatchObject([
    { metric: "response", state: "met", targetMinutes: 60 },
    { metric: "resolution", state: "met", targetMinutes: 60 },
  ]);
});

test("a ticket resolved in time is not announced as breached, even if the reader is delayed", async () => {
  const { category } = await policy();
  const [good, bad] = [await raised(category), await raised(category)];
  await Promise.all([good, bad].map((id) => kept(id)));
  await world.settled();
  const writer = await world.unsettle();
  pass(5);
  expect((await owner(`POST ${INCIDENTS}/${good}/resolve`, { resolution: "Done" })).status).toBe(
    200,
  );
  pass(10);
  await until(async () => (await alertsOf(bad)).includes("sla.breached"));
  const [row] = await kept(good, ([one]) => one.next_at === null);
  // The reader has not processed the resolution yet.
  expect(row).toMatchObject({ stopped_at: null, breached_at: null });
  await writer.release();
  await kept(good, ([one]) => one.state === "met");
  expect(await alertsOf(good)).toEqual([]);
});

test("a breach while no node was running is announced after a node starts", async () => {
  const { category } = await policy();
  const [before, during] = [await raised(category), await raised(category)];
  await Promise.all([before, during].map((id) => kept(id)));
  await node.close();
  pass(5, []);
  await owner(`POST ${INCIDENTS}/${before}/resolve`, { resolution: "In time" });
  const unseen = await raised(category);
  pass(6, []);
  node = await workingNode(world);
  await until(async () => (await alertsOf(during)).length === 2);
  expect(await alertsOf(during)).toEqual(BREACHED);
  const [row] = await kept(unseen);
  expect(row.state).toBe("running");
  await kept(before, ([one]) => one.state === "met");
  expect(await alertsOf(before)).toEqual([]);
});

test("a change has clocks too, announced with general events only", async () => {
  const { body } = await owner(`POST ${POLICIES}`, {
    name: "Changes",
    entity: "change",
    conditions: { title: "A change that lies around" },
    targets: [{ metric: "resolution", minutes: 1 }],
  });
  const change = await owner("POST /api/v1/itsm/changes", { title: "A change that lies around" });
  const { id, number } = change.body.data;
  await kept(id);
  pass(2);
  await until(async () => (await alertsOf(id)).length > 0);
  expect(await alertsOf(id)).toEqual(["sla.breached"]);
  const shown = await owner(`GET /api/v1/itsm/changes/${number}/sla`);
  expect(shown).toMatchObject({ status: 200, body: { data: [{ state: "breached" }] } });
  await owner(`DELETE ${POLICIES}/${body.data.id}`);
});
