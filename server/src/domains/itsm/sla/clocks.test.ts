import { afterAll, expect, test } from "vitest";
import type { Kernel } from "#kernel/kernel.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import { BREACH_SIGNAL } from "./clocks/announcer/breach-announcer.ts";
import { workingNode } from "./testing/ticket-events.ts";

const MINUTE_MS = 60_000;
const POLICIES = "/api/v1/itsm/sla-policies";
const INCIDENTS = "/api/v1/itsm/incidents";
const CLOCKS = "/api/v1/itsm/sla/clocks";

const world = await useWorld();
const owner = await world.member(["owner"]);
const nodes: readonly Kernel[] = [await workingNode(world), await workingNode(world)];
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
});

function pass(minutes: number): void {
  world.clock.advance(minutes * MINUTE_MS);
  for (const { wakeSignal } of nodes) wakeSignal.raise(BREACH_SIGNAL);
}

async function policy(more: object): Promise<string> {
  const made = await owner(`POST ${POLICIES}`, { name: "Any", entity: "incident", ...more });
  expect(made.status).toBe(201);
  return made.body.data.id;
}

async function raised(category: string, more: object = {}): Promise<any> {
  const given = { title: "An incident", category, ...more };
  return (await owner(`POST ${INCIDENTS}`, given)).body.data;
}

const countOf = async (question: string): Promise<number> =>
  Number((await world.sql(`select count(*) as n from ${question}`))[0].n);

/** More than the batch size of a thousand. */
const DUE_CLOCKS = tries(1_100, 2_000);

test("due clocks beyond the batch size are announced once each, by any node", async () => {
  const id = await policy({
    conditions: { category: "many" },
    targets: [{ metric: "resolution", minutes: 30 }],
    warnAtPercent: 100,
  });
  await world.sql(
    `insert into events
       (epoch, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
        resource_type, resource_id, correlation_id, created_at, data)
     select epoch, $1, 'production', 'incident', 'incident.created', 'usr_1', 'user', 'Somebody',
            'incident', 'inc_many' || n, 'cor_1', $2,
            jsonb_build_object('id', 'inc_many' || n, 'state', 'new', 'category', 'many')
       from installation, generate_series(1, $3::int) as n`,
    [world.home, world.clock.now(), DUE_CLOCKS],
  );
  for (const { wakeSignal } of nodes) wakeSignal.raise("events");
  await until(async () => (await countOf("sla_clocks where next_at is not null")) === DUE_CLOCKS);
  pass(31);
  await until(async () => (await countOf("sla_clocks where next_at is not null")) === 0);
  for (const type of ["incident.sla_breached", "sla.breached"]) {
    expect(await countOf(`events where type = '${type}'`)).toBe(DUE_CLOCKS);
    expect(
      await countOf(`(select distinct resource_id from events where type = '${type}') all_of_it`),
    ).toBe(DUE_CLOCKS);
  }
  expect(await countOf("events where type ~ 'warning'")).toBe(0);
  // Batched, because a transaction per clock would be too slow.
  const acts = "(select distinct tx from events where type = 'sla.breached') acts";
  expect(await countOf(acts)).toBeLessThan(50);
  await owner(`DELETE ${POLICIES}/${id}`);
});

test("the clock list shows due and breached clocks", async () => {
  const id = await policy({
    conditions: { category: "wall" },
    targets: [
      { metric: "response", minutes: 10 },
      { metric: "resolution", minutes: 60 },
    ],
  });
  const incident = await raised("wall");
  const own = `policyId=${id}`;
  await until(async () => (await owner(`GET ${CLOCKS}?${own}`)).body.data.length === 2);
  pass(20);
  const late = await until(async () => {
    const { body } = await owner(`GET ${CLOCKS}?${own}&state=breached`);
    return body.data.length === 1 && body.data[0];
  });
  const { number, title, priority, state } = incident;
  expect(late).toMatchObject({
    metric: "response",
    policyName: "Any",
    counting: true,
    targetMinutes: 10,
    remainingMs: 0,
    ticket: { kind: "incident", id: incident.id, number, title, priority, state },
  });
  expect(late.breachedAt).toBe(late.dueAt);
  const running = await owner(`GET ${CLOCKS}?${own}&state=running`);
  expect(running.body.data).toMatchObject([{ metric: "resolution", targetMinutes: 60 }]);
  expect(Math.floor(running.body.data[0].elapsedMs / MINUTE_MS)).toBe(20);
  const before = new Date(world.clock.nowMs() + 30 * MINUTE_MS).toISOString();
  const metricsOf = async (query: string): Promise<string[]> =>
    (await owner(`GET ${CLOCKS}?${own}&${query}`)).body.data.map((one: any) => one.metric);
  expect(await metricsOf(`dueBefore=${before}`)).toEqual(["response"]);
  expect(await metricsOf("state=running,breached")).toEqual(["response", "resolution"]);
  await owner(`POST ${INCIDENTS}/${incident.id}/resolve`, { resolution: "Done" });
  await until(async () => (await metricsOf("state=met")).join() === "resolution");
  expect(await metricsOf("open=true")).toEqual([]);
  expect(
    (await owner(`GET ${CLOCKS}?${own}`, undefined, { "x-environment": "staging" })).body.data,
  ).toEqual([]);
});

test("a policy is simulated on past tickets, with and without a change", async () => {
  const from = world.clock.now().toISOString();
  const category = "past";
  const [quick, slow, open, cancelled] = [
    await raised(category),
    await raised(category),
    await raised(category, { title: "Still open" }),
    await raised(category),
  ];
  await raised("another");
  pass(10);
  await owner(`POST ${INCIDENTS}/${quick.id}/resolve`, { resolution: "Done" });
  await owner(`POST ${INCIDENTS}/${cancelled.id}/cancel`, {});
  pass(90);
  await owner(`POST ${INCIDENTS}/${slow.id}/resolve`, { resolution: "Done" });
  pass(5);
  const id = await policy({
    active: false,
    conditions: { category },
    targets: [{ metric: "resolution", minutes: 120 }],
  });
  const simulated = async (body: object) => {
    const answer = await owner(`POST ${POLICIES}/${id}/simulate`, { from, ...body });
    expect(answer).toMatchObject({ status: 200, events: [] });
    return answer.body.data;
  };
  const counts = { cancelled: 1, open: 1 };
  const asItIs = await simulated({});
  expect(asItIs).toMatchObject({ ...counts, tickets: 5, met: 2, breached: 0, metPercent: 100 });
  const stricter = await simulated({
    policy: { targets: [{ metric: "resolution", minutes: 60 }] },
  });
  expect(stricter).toMatchObject({ ...counts, open: 0, met: 1, breached: 2, metPercent: 33.33 });
  const [{ worst }] = stricter.metrics;
  expect(worst.map((one: any) => one.ticketId)).toHaveLength(3);
  expect(worst[0]).toMatchObject({ ticketId: open.id, title: "Still open", stoppedAt: null });
  expect(Math.floor(worst[0].overMs / MINUTE_MS)).toBe(45);
  expect(worst[1]).toMatchObject({ ticketId: slow.id, state: "breached" });
  expect(asItIs).toMatchObject({ before: null, changed: [], changedCount: 0 });
  expect(stricter.before).toEqual({ ...counts, met: 2, breached: 0, metPercent: 100 });
  expect(
    stricter.changed.map(({ ticketId, before, after }: any) => [ticketId, before, after]),
  ).toEqual(
    expect.arrayContaining([
      [slow.id, "met", "breached"],
      [open.id, "running", "breached"],
    ]),
  );
  expect(stricter).toMatchObject({ changedCount: 2, sameCount: 2 });
  const made = await owner("POST /api/v1/itsm/calendars", {
    name: "Always",
    timezone: "UTC",
    hours: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "24:00" }],
  });
  const draft = await owner(`POST ${POLICIES}/simulate`, {
    from,
    policy: {
      name: "Not there yet",
      entity: "incident",
      conditions: { category },
      calendarId: made.body.data.id,
      targets: [{ metric: "resolution", minutes: 60 }],
    },
  });
  expect(draft).toMatchObject({ status: 200, events: [] });
  expect(draft.body.data).toMatchObject({ met: 1, breached: 2, before: null, changedCount: 0 });
  expect(await simulated({ limit: 1 })).toMatchObject({ tickets: 1, met: 0 });
  expect((await simulated({ to: from, from: "2020-01-01T00:00:00Z" })).metPercent).toBeNull();
  const refused = await owner(`POST ${POLICIES}/${id}/simulate`, {
    policy: { pauseOn: ["asleep"] },
  });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "/policy/pauseOn/0" }] } });
});

test("incrementally updated clocks equal a complete recomputation from the log", async () => {
  const category = "to and fro";
  await policy({
    conditions: { priority: { lte: 3 } },
    targets: [
      { metric: "response", minutes: 7 },
      { metric: "resolution", minutes: 45 },
    ],
    calendar: {
      timezone: "America/New_York",
      hours: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "23:30" }],
      holidays: [],
    },
    pauseOn: ["on_hold"],
  });
  const incidents = await Promise.all(Array.from({ length: 6 }, () => raised(category)));
  const steps = [
    ["PATCH", "", { state: "in_progress" }],
    ["PATCH", "", { impact: 1, urgency: 1 }],
    ["PATCH", "", { state: "on_hold", onHoldReason: "Parts" }],
    ["PATCH", "", { impact: 3, urgency: 3 }],
    ["POST", "/comments", { body: "Well?", internal: false }],
    ["PATCH", "", { state: "in_progress", impact: 2 }],
    ["POST", "/resolve", { resolution: "Done" }],
    ["POST", "/reopen", {}],
    ["PATCH", "", { impact: 1, urgency: 1 }],
  ] as const;
  for (const [index, step] of steps.entries()) {
    const [method, path, body] = step;
    pass(index);
    // Each incident ends in an earlier state than the previous one.
    for (const { id } of incidents.slice(0, incidents.length - Math.floor(index / 2))) {
      expect((await owner(`${method} ${INCIDENTS}/${id}${path}`, body)).status).toBeLessThan(300);
    }
  }
  for (const { id } of incidents) {
    const whole = (await owner(`GET ${INCIDENTS}/${id}/sla`)).body.data;
    const timelines = whole.map((clock: any) => clock.timeline);
    const rows = await until(async () => {
      const found = await world.sql("select * from sla_clocks where ticket_id = $1 order by no", [
        id,
      ]);
      return (
        JSON.stringify(found.map((row) => row.timeline.at(-1)?.eventId)) ===
          JSON.stringify(timelines.map((one: any) => one.at(-1)?.eventId)) && found
      );
    });
    expect(rows.map((row) => row.timeline)).toEqual(timelines);
    expect(rows.map((row) => row.stopped_at?.toISOString() ?? null)).toEqual(
      whole.map((clock: any) => clock.stoppedAt),
    );
  }
});

test("a pack creates, updates and removes policies but keeps edited policies", async () => {
  const install = (version: string, minutes: number) =>
    owner("POST /api/v1/sdk/packs/install", {
      id: "@acme/levels",
      name: "Levels",
      version,
      resources: {
        sla_policies: [
          {
            name: "Silver",
            entity: "problem",
            targets: [{ metric: "resolution", minutes }],
            calendar: {
              timezone: "Asia/Kolkata",
              hours: [{ days: [1, 2], from: "09:00", to: "24:00" }],
            },
          },
        ],
      },
    });
  const first = await install("1.0.0", 60);
  expect(first).toMatchObject({ status: 201, events: ["sla_policy.created", "pack.installed"] });
  const [{ id }] = first.body.data.made;
  const path = `${POLICIES}/${id}`;
  expect((await owner(`GET ${path}`)).body.data).toMatchObject({
    active: true,
    warnAtPercent: 80,
    calendar: { holidays: [] },
  });
  await owner(`PATCH ${path}`, { active: false });
  expect((await install("1.1.0", 90)).events).toContain("sla_policy.updated");
  expect((await owner(`GET ${path}`)).body.data).toMatchObject({
    active: false,
    targets: [{ metric: "resolution", minutes: 90 }],
  });
  const gone = await owner(`DELETE /api/v1/sdk/packs/${encodeURIComponent("@acme/levels")}`);
  expect(gone.events).toContain("sla_policy.deleted");
  expect((await owner(`GET ${path}`)).status).toBe(404);
});

test("hides clocks from callers without ticket read permission", async () => {
  const permissions = ["sla:read", "events:read"];
  const { body } = await owner("POST /api/v1/settings/roles", { name: "Wall", permissions });
  const [wall, agent] = [await world.member([body.data.id]), await world.member(["agent"])];
  const id = await policy({
    conditions: { category: "secret" },
    targets: [{ metric: "resolution", minutes: 1 }],
  });
  const incident = await raised("secret");
  await until(async () => (await owner(`GET ${CLOCKS}?policyId=${id}`)).body.data.length === 1);
  pass(2);
  const heardBy = async (ask: Ask): Promise<string[]> => {
    await world.settled();
    const { body: page } = await ask("GET /api/v1/events/topics/sla/events?timeout=0&limit=200");
    return page.data.map((event: any) => event.resource.id);
  };
  await until(async () => (await countOf(`events where resource_id = '${incident.id}'`)) === 3);
  const last = `?filter=${encodeURIComponent(JSON.stringify({ ticketId: incident.id }))}`;
  for (const [ask, sees] of [
    [agent, 1],
    [wall, 0],
  ] as const) {
    expect((await ask(`GET ${CLOCKS}${last}`)).body.data).toHaveLength(sees);
    expect((await ask(`GET ${INCIDENTS}/${incident.id}/sla`)).status).toBe(sees ? 200 : 403);
    expect((await ask(`POST ${POLICIES}/${id}/simulate`, {})).status).toBe(sees ? 200 : 403);
  }
  expect(await heardBy(wall)).toEqual([]);
  expect((await heardBy(agent)).length).toBeGreaterThan(0);
});
