import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { toCourse } from "./course.ts";

const world = await useWorld({ work: true });
const [owner, agent, requester] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["requester"]),
]);
const REPORT = "/api/v1/itsm/desk-report";
const INCIDENTS = "/api/v1/itsm/incidents";
const HOUR_MS = 3_600_000;

const raise = async (title: string, more: object = {}) =>
  (await agent(`POST ${INCIDENTS}`, { title, ...more })).body.data;
const report = async (query = "", by = owner) => by(`GET ${REPORT}?kind=incident${query}`);

test("numbers cover the period and the previous one, and list their tickets", async () => {
  const team = (
    await owner("POST /api/v1/itsm/teams", { name: "Network", memberIds: [agent.userId] })
  ).body.data.id;
  await owner("POST /api/v1/itsm/sla-policies", {
    name: "All",
    entity: "incident",
    targets: [{ metric: "resolution", minutes: 120 }],
  });
  const former = await raise("Of the time before", { category: "old" });
  await agent(`POST ${INCIDENTS}/${former.id}/resolve`, { resolution: "Done" });
  world.clock.advance(4 * HOUR_MS);
  const from = world.clock.now().toISOString();
  const caller = { callerId: requester.userId };
  const quick = await raise("Quick", { ...caller, category: "vpn", teamId: team });
  const slow = await raise("Slow", { category: "vpn", assigneeId: agent.userId });
  const open = await raise("Open");
  const gone = await raise("Cancelled");
  await agent(`POST ${INCIDENTS}/${gone.id}/cancel`, {});
  world.clock.advance(HOUR_MS);
  await agent(`POST ${INCIDENTS}/${quick.id}/comments`, { body: "On it" });
  await agent(`POST ${INCIDENTS}/${quick.id}/comments`, { body: "Ours", internal: true });
  await agent(`POST ${INCIDENTS}/${quick.id}/resolve`, { resolution: "Done" });
  await requester(`POST ${INCIDENTS}/${quick.id}/rate`, { satisfaction: 4 });
  world.clock.advance(3 * HOUR_MS);
  await agent(`POST ${INCIDENTS}/${slow.id}/resolve`, { resolution: "Done" });
  await agent(`POST ${INCIDENTS}/${slow.id}/reopen`, {});
  await agent(`POST ${INCIDENTS}/${slow.id}/resolve`, { resolution: "Done now" });
  world.clock.advance(HOUR_MS);
  const answer = await until(async () => {
    const found = await report(`&from=${from}`);
    const { met, breached } = found.body.data.now;
    return met + breached === 3 && found;
  });
  expect(answer).toMatchObject({ status: 200, events: [] });
  const { now, before, course, agents, teams, categories, ages, promises, stars, unit } =
    answer.body.data;
  const rounded = Object.entries(now).map(([name, value]) => [name, Math.round(Number(value))]);
  expect(Object.fromEntries(rounded)).toEqual({
    created: 4,
    resolved: 2,
    open: 1,
    responseMedian: 60,
    responseP90: 60,
    resolutionMedian: 150,
    resolutionP90: 222,
    reopened: 1,
    met: 1,
    breached: 2,
    ratings: 1,
    satisfaction: 4,
  });
  expect(before).toMatchObject({ created: 1, resolved: 1, open: 0, met: 1, ratings: 0 });
  expect(unit).toBe("day");
  expect(course.at(-1).open).toBe(1);
  const sum = (name: string): number =>
    course.reduce((total: number, bucket: any) => total + bucket[name], 0);
  expect([sum("created"), sum("resolved")]).toEqual([4, 2]);
  expect(agents).toContainEqual(expect.objectContaining({ id: agent.userId, resolved: 1 }));
  expect(teams).toContainEqual(
    expect.objectContaining({ id: team, name: "Network", created: 1, resolved: 1, open: 0 }),
  );
  expect(categories).toContainEqual({ category: "vpn", created: 2, before: 0 });
  expect(categories).toContainEqual({ category: "old", created: 0, before: 1 });
  expect(ages[0]).toEqual({ fromDays: 0, toDays: 1, open: 1, late: 1 });
  expect(promises.reduce((total: number, one: any) => total + one.met, 0)).toBe(1);
  expect(stars).toEqual([{ satisfaction: 4, ratings: 1 }]);

  const ticketsOf = async (query: string) =>
    (await owner(`GET ${REPORT}/tickets?from=${from}&${query}`)).body.data.tickets.map(
      (one: any) => one.id,
    );
  expect(await ticketsOf("figure=created")).toHaveLength(4);
  expect(await ticketsOf("figure=resolved")).toEqual([slow.id, quick.id]);
  expect(await ticketsOf("figure=open")).toEqual([open.id]);
  expect(await ticketsOf("figure=answered")).toEqual([quick.id]);
  expect(await ticketsOf("figure=reopened")).toEqual([slow.id]);
  expect(await ticketsOf("figure=rated&satisfaction=4")).toEqual([quick.id]);
  expect(await ticketsOf("figure=met&metric=resolution")).toEqual([quick.id]);
  expect(await ticketsOf(`figure=created&teamId=${team}`)).toEqual([quick.id]);
  expect(await ticketsOf("figure=created&category=vpn&assigneeId=none")).toEqual([quick.id]);
  expect(await ticketsOf("figure=open&minAgeDays=1")).toEqual([]);
});

test("a report requires read permission for all such tickets, and a valid period", async () => {
  expect((await report("", requester)).status).toBe(403);
  expect((await report("&timezone=Nowhere/Else")).body.errors[0].path).toBe("/timezone");
  const backwards = "&from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z";
  expect((await report(backwards)).body.errors[0].path).toBe("/to");
  const long = await report("&from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z");
  expect(long.body.errors[0].path).toBe("/from");
  for (const kind of ["change", "problem", "request"]) {
    expect((await owner(`GET ${REPORT}?kind=${kind}`)).body.data).toMatchObject({ kind });
  }
});

test("the open count at the end of a bucket is computed from the final count", () => {
  const day = (at: number, created: number, resolved: number, lasting = created) => ({
    at: `2026-06-0${at}T00:00:00`,
    from: `2026-06-0${at}T00:00:00Z`,
    to: `2026-06-0${at + 1}T00:00:00Z`,
    created,
    resolved,
    lasting,
  });
  const period = { from: new Date("2026-06-01T06:00:00Z"), to: new Date("2026-06-03T00:00:00Z") };
  const course = toCourse([day(1, 3, 1), day(2, 4, 2, 3), day(3, 9, 9)], period, 5);
  expect(course.map(({ open, from }) => [open, from])).toEqual([
    [4, "2026-06-01T06:00:00.000Z"],
    [5, "2026-06-02T00:00:00.000Z"],
  ]);
});
