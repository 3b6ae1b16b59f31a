import { afterAll, expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { BREACH_SIGNAL } from "../clocks/announcer/breach-announcer.ts";
import { workingNode } from "../testing/ticket-events.ts";

const MINUTE_MS = 60_000;
const POLICIES = "/api/v1/itsm/sla-policies";
const CALENDARS = "/api/v1/itsm/calendars";
const INCIDENTS = "/api/v1/itsm/incidents";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const node = await workingNode(world);
afterAll(() => node.close());

function pass(minutes: number): void {
  world.clock.advance(minutes * MINUTE_MS);
  node.wakeSignal.raise(BREACH_SIGNAL);
}

const night = {
  name: "Nights",
  timezone: "Europe/Berlin",
  hours: [{ days: [1, 2, 3, 4, 5], from: "22:00", to: "06:00" }],
};

const ICS = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "BEGIN:VEVENT",
  "DTSTART;VALUE=DATE:20301224",
  "DTEND;VALUE=DATE:20301227",
  "SUMMARY:Christmas\\, with a long",
  "  line",
  "END:VEVENT",
  "BEGIN:VEVENT",
  "DTSTART;VALUE=DATE:20300101",
  "RRULE:FREQ=YEARLY;COUNT=3",
  "END:VEVENT",
  "BEGIN:VEVENT",
  "DTSTART:20300501T100000Z",
  "END:VEVENT",
  "END:VCALENDAR",
].join("\r\n");

test("policies share a calendar, and its changes apply to them", async () => {
  const made = await owner(`POST ${CALENDARS}`, night);
  expect(made).toMatchObject({
    status: 201,
    events: ["business_calendar.created"],
    body: { data: { ...night, holidays: [] } },
  });
  const calendar = `${CALENDARS}/${made.body.data.id}`;
  const { id: calendarId } = made.body.data;
  const policy = { name: "Night shift", entity: "incident", conditions: { category: "night" } };
  const targets = [{ metric: "resolution", minutes: 60 }];
  const both = { ...policy, targets, calendarId };
  const { name: _, ...own } = night;
  expect(await owner(`POST ${POLICIES}`, { ...both, calendar: own })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/calendar" }] },
  });
  const { body } = await owner(`POST ${POLICIES}`, both);
  const path = `${POLICIES}/${body.data.id}`;
  expect(body.data).toMatchObject({ calendarId, calendar: { ...own, holidays: [] } });
  const imported = await owner(`POST ${calendar}/holidays`, { ics: ICS });
  const holidays = [
    "2030-01-01",
    "2030-12-24",
    "2030-12-25",
    "2030-12-26",
    "2031-01-01",
    "2032-01-01",
  ];
  expect(imported).toMatchObject({
    status: 200,
    events: ["business_calendar.updated", "sla_policy.updated"],
    body: { data: { added: 6, skipped: 1, calendar: { holidays } } },
  });
  expect(await owner(`POST ${calendar}/holidays`, { ics: ICS })).toMatchObject({ events: [] });
  expect((await owner(`GET ${path}`)).body.data).toMatchObject({ calendar: { holidays } });
  expect(await owner(`DELETE ${calendar}`)).toMatchObject({
    status: 409,
    body: { code: "calendar_in_use" },
  });
  const taken = await owner(`PATCH ${path}`, { calendar: null });
  expect(taken.body.data).toMatchObject({ calendarId: null, calendar: null });
  expect((await owner(`PATCH ${calendar}`, { name: "Late" })).events).toEqual([
    "business_calendar.updated",
  ]);
  expect((await owner(`DELETE ${calendar}`)).status).toBe(204);
  expect(await owner(`PATCH ${path}`, { calendarId })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/calendarId" }] },
  });
  expect(await owner(`POST ${CALENDARS}`, { ...night, timezone: "Mars/Olympus" })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/timezone" }] },
  });
  expect((await agent(`POST ${CALENDARS}`, night)).status).toBe(403);
  await owner(`DELETE ${path}`);
});

test("each warning and each late reply is announced once, and an answer starts the next round", async () => {
  const { body } = await owner(`POST ${POLICIES}`, {
    name: "Replies",
    entity: "incident",
    conditions: { category: "replies" },
    targets: [{ metric: "next_reply", minutes: 100, warnAtPercent: [50, 80] }],
  });
  const policyId = body.data.id;
  const caller = await world.member(["owner"]);
  const callerId = (await caller("GET /api/v1/auth/me")).body.data.user.id;
  const given = { title: "No reply", category: "replies", callerId };
  const { id } = (await owner(`POST ${INCIDENTS}`, given)).body.data;
  const alerts = async (): Promise<unknown[]> =>
    (
      await world.sql(
        `select type, data ->> 'percent' as percent from events
          where resource_id = $1 and type ~ '^sla' order by epoch, xid, seq`,
        [id],
      )
    ).map(({ type, percent }) => `${type} ${percent}`);
  const clock = async (): Promise<any> =>
    (await owner(`GET ${INCIDENTS}/${id}/sla`)).body.data.find(
      (one: any) => one.policyId === policyId,
    );
  const isStored = async (round: number) =>
    (
      await world.sql(
        "select from sla_clocks where ticket_id = $1 and (fold ->> 'round')::int = $2 and next_at is not null",
        [id, round],
      )
    ).length === 1;
  await until(() => isStored(0));
  pass(60);
  await until(async () => (await alerts()).length === 1);
  pass(30);
  await until(async () => (await alerts()).length === 2);
  pass(20);
  await until(async () => (await alerts()).length === 3);
  const expected = ["sla.warning 50", "sla.warning 80", "sla.breached 100"];
  expect(await alerts()).toEqual(expected);
  const say = (ask: typeof owner, text: string) =>
    ask(`POST ${INCIDENTS}/${id}/comments`, { body: text, internal: false });
  expect((await say(owner, "It is the cable.")).status).toBe(201);
  expect((await say(caller, "It is not.")).status).toBe(201);
  await until(() => isStored(1));
  expect(await clock()).toMatchObject({ state: "running", lateRounds: 1, breachedAt: null });
  pass(60);
  await until(async () => (await alerts()).length === 4);
  await say(owner, "It is.");
  await until(async () => (await clock()).stoppedAt !== null);
  pass(100);
  await world.settled();
  expect(await alerts()).toEqual([...expected, "sla.warning 50"]);
  // A late reply stays in the statistics.
  expect(await clock()).toMatchObject({ state: "breached", lateRounds: 1, counting: false });
  await owner(`DELETE ${POLICIES}/${policyId}`);
});

test("holidays of an imported file are listed with names before saving", async () => {
  const ics = [
    "BEGIN:VCALENDAR",
    "BEGIN:VEVENT",
    "DTSTART;VALUE=DATE:20261225",
    "SUMMARY:Christmas\\, first",
    " day",
    "END:VEVENT",
    "BEGIN:VEVENT",
    "DTSTART:20261224T100000Z",
    "END:VEVENT",
    "END:VCALENDAR",
  ].join("\r\n");
  const answer = await owner("POST /api/v1/itsm/calendars/preview-holidays", { ics });
  expect(answer).toMatchObject({ status: 200, events: [] });
  expect(answer.body.data).toEqual({
    holidays: [{ day: "2026-12-25", name: "Christmas, firstday" }],
    skipped: 1,
  });
});
