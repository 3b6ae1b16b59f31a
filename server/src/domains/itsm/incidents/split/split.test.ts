import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const [agent, asker] = await Promise.all([world.member(["agent"]), world.member(["requester"])]);
const INCIDENTS = "/api/v1/itsm/incidents";
const HOUR_MS = 3_600_000;

const raise = async (more: object = {}): Promise<any> =>
  (await agent(`POST ${INCIDENTS}`, { title: "No mail", callerId: asker.userId, ...more })).body
    .data;
const say = async (id: string, body: string, internal = false): Promise<any> =>
  (await agent(`POST ${INCIDENTS}/${id}/comments`, { body, internal })).body.data;
const said = async (by: typeof agent, id: string) =>
  (await by(`GET ${INCIDENTS}/${id}/comments`)).body.data.map(({ body }: any) => body);
const later = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

test("a part of an incident becomes a new incident with selected comments and attachments", async () => {
  const whole = await raise({ tags: ["mail"] });
  const [mail, print, note] = [
    await say(whole.id, "No mail"),
    await say(whole.id, "And no print"),
    await say(whole.id, "It is the toner", true),
  ];
  const file = { name: "print.log", content: "out of paper" };
  const { body: attached } = await agent(`POST ${INCIDENTS}/${whole.id}/attachments`, file);
  const split = await agent(`POST ${INCIDENTS}/${whole.id}/split`, {
    title: "No print",
    commentIds: [print.id, note.id],
    attachmentIds: [attached.data.id],
  });
  expect(split).toMatchObject({
    status: 201,
    events: ["incident.created", "incident.split"],
    body: { data: { title: "No print", callerId: asker.userId, tags: ["mail"], state: "new" } },
  });
  const { id } = split.body.data;
  expect(await said(agent, whole.id)).toEqual(["No mail"]);
  expect(await said(agent, id)).toEqual(["And no print", "It is the toner"]);
  expect(await said(asker, id)).toEqual(["And no print"]);
  const files = await asker(`GET ${INCIDENTS}/${id}/attachments`);
  expect(files.body.data).toMatchObject([{ name: "print.log", ticketId: id }]);
  expect(await asker(`GET ${INCIDENTS}/${id}/attachments/${attached.data.id}`)).toMatchObject({
    status: 200,
  });
  const { body: links } = await agent(`GET ${INCIDENTS}/${whole.id}/links`);
  expect(links.data).toMatchObject([{ type: "relates_to", direction: "in", ticket: { id } }]);
  const { body: queue } = await agent(`GET /api/v1/itsm/tickets/${whole.id}`);
  expect(queue.data.lastPublicComment.at).toBe(mail.createdAt);

  const copy = { title: "Both", commentIds: [mail.id], isCopy: true };
  const both = await agent(`POST ${INCIDENTS}/${whole.id}/split`, copy);
  expect(await said(agent, both.body.data.id)).toEqual(["No mail"]);
  expect(await said(agent, whole.id)).toEqual(["No mail"]);
  const foreign = await agent(`POST ${INCIDENTS}/${whole.id}/split`, {
    title: "Not its own",
    commentIds: [mail.id, print.id],
  });
  expect(foreign).toMatchObject({ status: 422, events: [] });
  expect(foreign.body.errors[0].path).toBe("/commentIds/1");
});

test("resumes an incident on hold exactly once at the set time and notifies the assignee", async () => {
  const { id, number } = await raise({ assigneeId: agent.userId });
  const hold = (more: object) =>
    agent(`PATCH ${INCIDENTS}/${id}`, { state: "on_hold", onHoldReason: "Vendor", ...more });
  expect(await hold({ holdUntil: later(-HOUR_MS) })).toMatchObject({ status: 422, events: [] });
  expect(await hold({ holdUntil: later(HOUR_MS) })).toMatchObject({
    status: 200,
    events: ["incident.updated"],
  });
  // A later time replaces the first one.
  await agent(`PATCH ${INCIDENTS}/${id}`, { holdUntil: later(3 * HOUR_MS) });
  world.clock.advance(2 * HOUR_MS);
  const still = await agent(`GET ${INCIDENTS}/${id}`);
  expect(still.body.data).toMatchObject({ state: "on_hold", onHoldReason: "Vendor" });
  world.clock.advance(2 * HOUR_MS);
  const back = await until(async () => {
    const { body } = await agent(`GET ${INCIDENTS}/${id}`);
    return body.data.state === "in_progress" && body.data;
  });
  expect(back).toMatchObject({ holdUntil: null, onHoldReason: null });
  const { body: timeline } = await agent(`GET ${INCIDENTS}/${id}/timeline`);
  const types = timeline.data.map(({ type }: any) => type);
  expect(types.filter((type: string) => type === "incident.resumed")).toHaveLength(1);
  await until(async () => {
    const { body } = await agent("GET /api/v1/notifications");
    return body.data.some(({ title }: any) => title === `${number} returned from hold`);
  });
  const wrong = await agent(`PATCH ${INCIDENTS}/${id}`, { holdUntil: later(HOUR_MS) });
  expect(wrong).toMatchObject({ status: 422, body: { errors: [{ path: "/holdUntil" }] } });
});

test("only agents record and see time on a ticket", async () => {
  const { id } = await raise();
  const noted = await agent(`POST ${INCIDENTS}/${id}/times`, { minutes: 25, note: "Logs" });
  expect(noted).toMatchObject({
    status: 201,
    events: ["incident.time_added"],
    body: { data: { userId: agent.userId, minutes: 25 } },
  });
  const { body } = await agent(`GET ${INCIDENTS}/${id}/times`);
  expect(body.data).toEqual([noted.body.data]);
  expect(await asker(`GET ${INCIDENTS}/${id}/times`)).toMatchObject({ status: 403 });
  const gone = await agent(`DELETE ${INCIDENTS}/${id}/times/${noted.body.data.id}`);
  expect(gone).toMatchObject({ status: 204, events: ["incident.time_removed"] });
});
