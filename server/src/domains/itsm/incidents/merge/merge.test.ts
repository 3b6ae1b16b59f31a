import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const [owner, agent, colleague, viewer, asker, other] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["agent"]),
  world.member(["viewer"]),
  world.member(["requester"]),
  world.member(["requester"]),
]);
const INCIDENTS = "/api/v1/itsm/incidents";
const HOUR_MS = 3_600_000;
await owner("POST /api/v1/itsm/sla-policies", {
  name: "All",
  entity: "incident",
  conditions: {},
  targets: [{ metric: "resolution", minutes: 240 }],
});

const raise = async (callerId = asker.userId): Promise<any> =>
  (await agent(`POST ${INCIDENTS}`, { title: "No mail", callerId })).body.data;
const say = (by: typeof agent, id: string, body: string, internal = false) =>
  by(`POST ${INCIDENTS}/${id}/comments`, { body, ...(internal && { internal }) });
const said = async (by: typeof agent, id: string) =>
  (await by(`GET ${INCIDENTS}/${id}/comments`)).body.data.map(({ body }: any) => body);
const merge = (by: typeof agent, id: string, intoId: string) =>
  by(`POST ${INCIDENTS}/${id}/merge`, { intoId });
const due = (id: string, fits: (ticket: any) => boolean) =>
  until(async () => {
    const { body } = await agent(`GET /api/v1/itsm/tickets/${id}`);
    return fits(body.data) && body.data;
  });

test("a duplicate ends in another incident, visible to its agents but not to its callers", async () => {
  const [source, target] = [await raise(), await raise(other.userId)];
  await say(asker, source.id, "My secret is in it");
  await say(agent, source.id, "A note", true);
  await agent(`PUT ${INCIDENTS}/${source.id}/watchers/${colleague.userId}`);
  await say(agent, target.id, "We look into it");
  await due(source.id, ({ dueState }) => dueState === "running");
  const merged = await merge(agent, source.id, target.number);
  expect(merged).toMatchObject({
    status: 200,
    events: ["incident.merged", "incident.duplicate_added"],
    body: { data: { state: "cancelled" } },
  });
  expect(await said(agent, target.id)).toEqual(["My secret is in it", "A note", "We look into it"]);
  expect(await said(other, target.id)).toEqual(["We look into it"]);
  expect(await said(asker, source.id)).toEqual(["My secret is in it"]);
  expect(await asker(`GET ${INCIDENTS}/${target.id}`)).toMatchObject({ status: 404 });
  const { body: links } = await agent(`GET ${INCIDENTS}/${source.id}/links`);
  expect(links.data).toMatchObject([{ type: "duplicates", ticket: { id: target.id } }]);
  await due(source.id, ({ dueAt, dueState }) => dueAt === null && dueState === null);
  await until(async () => {
    const { body } = await asker("GET /api/v1/notifications");
    return body.data.some(({ title }: any) =>
      title.startsWith(`${source.number} was merged into another`),
    );
  });

  world.clock.advance(HOUR_MS);
  const undone = await agent(`POST ${INCIDENTS}/${source.id}/unmerge`);
  expect(undone).toMatchObject({
    status: 200,
    events: ["incident.unmerged", "incident.duplicate_removed"],
    body: { data: { state: "new" } },
  });
  expect(await said(agent, target.id)).toEqual(["We look into it"]);
  expect((await agent(`GET ${INCIDENTS}/${source.id}/links`)).body.data).toEqual([]);
  // The SLA clock continues without the time in the merged state.
  const { dueAt } = await due(source.id, ({ dueState }) => dueState === "running");
  expect(Date.parse(dueAt) - Date.parse(source.createdAt)).toBeGreaterThanOrEqual(
    5 * HOUR_MS - 60_000,
  );
  expect(await agent(`POST ${INCIDENTS}/${source.id}/unmerge`)).toMatchObject({
    status: 409,
    events: [],
    body: { code: "incident_not_merged" },
  });
});

test("an invalid merge is rejected without any change", async () => {
  const [one, two, ended] = [await raise(), await raise(), await raise()];
  await agent(`POST ${INCIDENTS}/${ended.id}/cancel`);
  const refusals = await Promise.all([
    merge(agent, one.id, one.number),
    merge(agent, one.id, "INC9999999"),
    merge(agent, one.id, ended.id),
    merge(agent, ended.id, one.id),
    merge(viewer, one.id, two.id),
    merge(asker, one.id, two.id),
  ]);
  expect(refusals.map(({ status }) => status)).toEqual([422, 422, 409, 409, 403, 403]);
  expect(refusals.flatMap(({ events }) => events)).toEqual([]);
  await agent(`POST ${INCIDENTS}/${one.id}/major`);
  expect(await merge(agent, one.id, two.id)).toMatchObject({
    status: 409,
    body: { code: "incident_cant_merge" },
  });
  await merge(agent, two.id, one.id);
  world.clock.advance(8 * 24 * HOUR_MS);
  expect(await agent(`POST ${INCIDENTS}/${two.id}/unmerge`)).toMatchObject({
    status: 409,
    body: { code: "incident_merge_final" },
  });
});

test("two opposite merges cannot both succeed", async () => {
  for (let round = 0; round < 3; round += 1) {
    const [one, two] = [await raise(), await raise()];
    const crossed = await Promise.all([
      merge(agent, one.id, two.id),
      merge(colleague, two.id, one.id),
    ]);
    expect(crossed.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  }
});

test("a mentioned member with read access is notified once", async () => {
  const { id, number } = await raise();
  const handle = `${colleague.userId}`;
  const told = async (by: typeof agent, title: string) =>
    (await by("GET /api/v1/notifications")).body.data.filter(
      ({ title: one }: any) => one === `${number} ${title}`,
    ).length;
  await say(agent, id, `@[${viewer.userId}] and @${handle}: look, @[${asker.userId}]`, true);
  await until(async () => (await told(colleague, "mentions you")) === 1);
  const { body } = await agent(`GET ${INCIDENTS}/${id}/timeline`);
  // Internal comments notify only mentioned members who work on incidents.
  expect(body.data[0].data.mentions).toEqual([colleague.userId]);
  await say(agent, id, `@[${viewer.userId}] see for yourself`);
  await until(async () => (await told(viewer, "mentions you")) === 1);
  expect(await told(viewer, "has a new comment")).toBe(0);
});
