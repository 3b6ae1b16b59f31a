import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const [owner, ann, ben, asker] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["agent"]),
  world.member(["requester"]),
]);
const ITSM = "/api/v1/itsm";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const { body: made } = await owner(`POST ${ITSM}/on-call-schedules`, {
  name: "Network",
  timeZone: "Europe/Berlin",
  layers: [
    {
      name: "Days",
      userIds: [ann.userId, ben.userId],
      turn: { unit: "day", count: 1 },
      startsOn: "2026-01-05",
      handOver: "09:00",
    },
  ],
});
const SCHEDULE = `${ITSM}/on-call-schedules/${made.data.id}`;
const onCallAt = async (at: Date): Promise<any> =>
  (await ann(`GET ${SCHEDULE}/on-call?at=${encodeURIComponent(at.toISOString())}`)).body.data.shift;
const inDays = (days: number) => new Date(world.clock.now().getTime() + days * DAY_MS);

test("overrides take precedence over turns, and a swap exchanges two turns", async () => {
  const day = inDays(10);
  const planned = await onCallAt(day);
  const other = planned.userId === ann.userId ? ben : ann;
  const added = await other(`POST ${SCHEDULE}/overrides`, {
    from: planned.from,
    until: planned.until,
    reason: "A favour",
  });
  expect(added).toMatchObject({ status: 201, events: ["on_call_schedule.override_added"] });
  expect(await onCallAt(day)).toMatchObject({ userId: other.userId, layer: null });
  const gone = await other(`DELETE ${SCHEDULE}/overrides/${added.body.data.id}`);
  expect(gone).toMatchObject({ status: 204, events: ["on_call_schedule.override_removed"] });
  expect(await onCallAt(day)).toEqual(planned);

  const next = new Date(day.getTime() + DAY_MS);
  const swapped = await ann(`POST ${SCHEDULE}/swap`, {
    at: day.toISOString(),
    withAt: next.toISOString(),
  });
  expect(swapped).toMatchObject({
    status: 200,
    events: ["on_call_schedule.override_added", "on_call_schedule.override_added"],
  });
  expect((await onCallAt(day)).userId).toBe(other.userId);
  expect((await onCallAt(next)).userId).toBe(planned.userId);
  expect(await asker(`POST ${SCHEDULE}/swap`, {})).toMatchObject({ status: 403 });

  const time = { from: day.toISOString(), until: next.toISOString() };
  const { body: plan } = await ann(`GET ${SCHEDULE}/shifts?${new URLSearchParams(time)}`);
  const [layer] = plan.data.layers;
  expect(plan.data.shifts[0]).toMatchObject({ userId: other.userId, layer: null });
  expect(layer.shifts[0]).toMatchObject({ userId: planned.userId, layer: "Days" });
  const layers = [{ ...made.data.layers[0], userIds: [other.userId] }];
  const draft = { ...time, layers, timeZone: made.data.timeZone };
  const preview = await ann(`POST ${ITSM}/on-call-schedules/preview`, draft);
  expect(preview).toMatchObject({ status: 200, events: [] });
  expect(preview.body.data.shifts).toMatchObject([{ ...time, userId: other.userId }]);
  const moon = { ...draft, timeZone: "Moon/Base" };
  expect(await ann(`POST ${ITSM}/on-call-schedules/preview`, moon)).toMatchObject({ status: 422 });
});

const pagesOf = async (ticketId: string): Promise<any[]> =>
  (await ann(`GET ${ITSM}/pages?ticketId=${ticketId}`)).body.data;
const told = async (by: typeof ann, number: string) =>
  (await by("GET /api/v1/notifications")).body.data.filter(
    ({ title }: any) => title === `Page: ${number}`,
  ).length;

test("pages the member on call for a critical incident, then the other members once each, for all rounds", async () => {
  const { body: policy } = await owner(`POST ${ITSM}/escalation-policies`, {
    name: "Critical",
    conditions: { priority: 1 },
    steps: [
      { targets: [{ type: "schedule", id: made.data.id }], waitMinutes: 5 },
      {
        targets: [
          { type: "user", id: ann.userId },
          { type: "user", id: ben.userId },
        ],
        waitMinutes: 10,
      },
    ],
    repeats: 1,
  });
  const { body } = await ann(`POST ${ITSM}/incidents`, { title: "Down", impact: 1, urgency: 1 });
  const { id, number } = body.data;
  const [first] = await until(async () => {
    const pages = await pagesOf(id);
    return pages.length > 0 && pages;
  });
  const onCall = (await onCallAt(world.clock.now())).userId;
  expect(first).toMatchObject({ state: "paging", step: 0, round: 0, userIds: [onCall] });
  const sent: string[] = [];
  for (const wait of [5, 10, 5, 10]) {
    const before = (await pagesOf(id))[0];
    sent.push(`${before.round}.${before.step}`);
    world.clock.advance(wait * MINUTE_MS - 1_000);
    expect((await pagesOf(id))[0].revision).toBe(before.revision);
    world.clock.advance(1_000);
    await until(async () => (await pagesOf(id))[0].revision > before.revision);
  }
  expect(sent).toEqual(["0.0", "0.1", "1.0", "1.1"]);
  expect((await pagesOf(id))[0]).toMatchObject({ state: "exhausted", nextAt: null });
  const counts = [await told(ann, number), await told(ben, number)];
  // The two shared steps page both members; each other step pages the member on call.
  expect(counts.toSorted()).toEqual([2, 4]);

  const again = await ann(`POST ${ITSM}/pages`, { policyId: policy.data.id, ticketId: id });
  expect(again).toMatchObject({ status: 201, events: ["notification.sent", "page.sent"] });
  const PAGE = `${ITSM}/pages/${again.body.data.id}`;
  const twice = { policyId: policy.data.id, ticketId: id };
  expect(await ben(`POST ${ITSM}/pages`, twice)).toMatchObject({
    status: 409,
    body: { code: "page_under_way" },
  });
  const [one, two] = await Promise.all([
    ann(`POST ${PAGE}/acknowledge`),
    ben(`POST ${PAGE}/acknowledge`),
  ]);
  expect([one.status, two.status].toSorted()).toEqual([200, 409]);
  expect([...one.events, ...two.events]).toEqual(["page.acknowledged"]);
  world.clock.advance(60 * MINUTE_MS);
  expect((await ann(`GET ${PAGE}`)).body.data).toMatchObject({ state: "acknowledged", step: 0 });
  await ann(`POST ${ITSM}/incidents/${id}/resolve`, { resolution: "Restarted" });
  await until(async () => (await ann(`GET ${PAGE}`)).body.data.state === "ended");
  expect(await asker(`GET ${PAGE}`)).toMatchObject({ status: 403 });
});

test("a named member is paged immediately, once, with a reason", async () => {
  const { body } = await ann(`POST ${ITSM}/incidents`, { title: "Quiet" });
  const { id: ticketId, number } = body.data;
  const page = (more: object) => ann(`POST ${ITSM}/pages`, { ticketId, ...more });
  const targets = [{ type: "user", id: ben.userId }];
  for (const wrong of [
    {},
    { targets: [{ type: "team", id: ben.userId }] },
    { targets: [{ type: "user", id: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6" }] },
  ]) {
    expect(await page(wrong)).toMatchObject({ status: 422, events: [] });
  }
  const sent = await page({ targets, message: "The vendor is on the line" });
  expect(sent).toMatchObject({ status: 201, events: ["notification.sent", "page.sent"] });
  expect(sent.body.data).toMatchObject({ policyId: null, userIds: [ben.userId], round: 0 });
  const { body: inbox } = await ben("GET /api/v1/notifications");
  expect(inbox.data[0]).toMatchObject({
    title: `Page: ${number}`,
    body: expect.stringContaining("The vendor is on the line"),
  });
  const both = [...targets, { type: "user", id: ann.userId }];
  for (const again of [targets, [...targets, ...targets], both]) {
    expect((await page({ targets: again })).body.code).toBe("page_under_way");
  }
  const byNumber = { ticketId: number, targets: [{ type: "user", id: ann.userId }] };
  expect((await ann(`POST ${ITSM}/pages`, byNumber)).status).toBe(201);
  expect((await asker(`POST ${ITSM}/pages`, { ticketId, targets })).status).toBe(403);
});
