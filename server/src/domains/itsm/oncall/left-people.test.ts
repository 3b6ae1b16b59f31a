import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const ann = await world.member(["agent"]);
const ben = await world.member(["agent"]);
const ITSM = "/api/v1/itsm";

const { body: schedule } = await owner(`POST ${ITSM}/on-call-schedules`, {
  name: "Network",
  layers: [
    {
      name: "Weeks",
      userIds: [ann.userId],
      turn: { unit: "week", count: 1 },
      startsOn: "2020-01-06",
      handOver: "09:00",
    },
  ],
});
const problems = async (): Promise<any[]> => (await ben(`GET ${ITSM}/on-call/problems`)).body.data;
const waiting = async (by: typeof ann): Promise<number | undefined> =>
  (await by("GET /api/v1/home/waiting")).body.data.counts.brokenSchedules;
const inbox = async (): Promise<any[]> => (await owner("GET /api/v1/notifications")).body.data;

test("a schedule with a member who left is reported, and a page skips to the next step", async () => {
  expect(await problems()).toEqual([]);
  await owner(`PATCH /api/v1/settings/users/${ann.userId}`, { status: "deactivated" });
  expect(await problems()).toEqual([
    {
      scheduleId: schedule.data.id,
      name: "Network",
      teamId: null,
      left: [{ id: ann.userId, name: expect.any(String) }],
      nextAt: expect.any(String),
      managers: [{ id: owner.userId, name: expect.any(String) }],
    },
  ]);
  expect([await waiting(owner), await waiting(ben)]).toEqual([1, undefined]);
  const [told] = await until(async () => {
    const found = await inbox();
    return found.length > 0 && found;
  });
  expect(told).toMatchObject({
    title: expect.stringMatching(/^On-call schedule Network: .* left$/),
    resource: { type: "on_call_schedule", id: schedule.data.id },
  });

  const { body: policy } = await owner(`POST ${ITSM}/escalation-policies`, {
    name: "On call, then Ben",
    steps: [
      { targets: [{ type: "schedule", id: schedule.data.id }], waitMinutes: 30 },
      { targets: [{ type: "user", id: ben.userId }], waitMinutes: 30 },
    ],
  });
  const { body: ticket } = await owner(`POST ${ITSM}/incidents`, { title: "Down" });
  const paged = await owner(`POST ${ITSM}/pages`, {
    policyId: policy.data.id,
    ticketId: ticket.data.id,
  });
  expect(paged).toMatchObject({
    status: 201,
    events: ["notification.sent", "page.escalated", "notification.sent", "page.sent"],
    body: { data: { state: "paging", step: 1, userIds: [ben.userId] } },
  });
  expect((await inbox())[0].body).toContain(
    `The page about ${ticket.data.number} could not reach this member`,
  );

  const layers = [{ ...schedule.data.layers[0], userIds: [ben.userId] }];
  await owner(`PATCH ${ITSM}/on-call-schedules/${schedule.data.id}`, { layers });
  expect(await problems()).toEqual([]);
  expect(await waiting(owner)).toBe(0);
});
