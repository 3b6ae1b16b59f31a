import { describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const INCIDENTS = "/api/v1/itsm/incidents";
const world = await useWorld();
const [agent, ada, ben, watcher, viewer] = await Promise.all([
  world.member(["agent"]),
  world.member(["requester"]),
  world.member(["requester"]),
  world.member(["member"]),
  world.member(["viewer"]),
]);

async function raise(title = "No tone") {
  const { body } = await ada(`POST ${INCIDENTS}`, { title, description: "Since noon" });
  return { id: body.data.id as string, path: `${INCIDENTS}/${body.data.id}` };
}

describe("a requester", () => {
  test("creates incidents for themselves, with only the requester fields", async () => {
    const raised = await ada(`POST ${INCIDENTS}`, { title: "No tone" });
    expect([raised.status, raised.events]).toEqual([201, ["incident.created"]]);
    expect(raised.body.data).toMatchObject({ callerId: ada.userId, createdBy: ada.userId });
    const more = {
      title: "x",
      impact: 1,
      teamId: null,
      assigneeId: ada.userId,
      callerId: ben.userId,
    };
    const refused = await ada(`POST ${INCIDENTS}`, more);
    expect([refused.status, refused.events]).toEqual([422, []]);
    expect(refused.body.errors.map(({ path }: any) => path).toSorted()).toEqual([
      "/assigneeId",
      "/callerId",
      "/impact",
      "/teamId",
    ]);
  });

  test("sees, comments and attaches on their own incidents, and gets 404 for others", async () => {
    const { id, path } = await raise();
    await agent(`POST ${path}/comments`, { body: "It was Bob.", internal: true });
    await agent(`POST ${path}/comments`, { body: "We are on it." });
    await agent(`PATCH ${path}`, { category: "gossip", severity: "low" });
    await agent(`PATCH ${path}`, { category: "more gossip" });
    const answered = await ada(`POST ${path}/comments`, { body: "Thank you." });
    expect([answered.status, answered.events]).toEqual([201, ["incident.comment_added"]]);
    const attached = await ada(`POST ${path}/attachments`, { name: "a.log", content: "tick" });
    expect([attached.status, attached.events]).toEqual([201, ["incident.attachment_added"]]);
    const comments = await ada(`GET ${path}/comments`);
    expect(comments.body.data.map(({ body }: any) => body)).toEqual([
      "We are on it.",
      "Thank you.",
    ]);
    const { body: timeline } = await ada(`GET ${path}/timeline`);
    expect(timeline.data.map(({ type }: any) => type)).toEqual([
      "incident.attachment_added",
      "incident.comment_added",
      "incident.updated",
      "incident.comment_added",
      "incident.created",
    ]);
    const seen = JSON.stringify([timeline, (await ada(`GET ${path}`)).body]);
    expect(seen).not.toMatch(/gossip|Bob/);
    for (const call of [
      `GET ${path}`,
      `GET ${path}/timeline`,
      `GET ${path}/comments`,
      `GET ${path}/attachments`,
      `GET ${path}/attachments/${attached.body.data.id}`,
      `GET ${path}/watchers`,
      `GET ${path}/links`,
      `GET ${path}/suggestions`,
      `POST ${path}/comments`,
      `POST ${path}/attachments`,
      `POST ${path}/watchers`,
      `POST ${path}/reopen`,
      `POST ${path}/close`,
      `POST ${path}/cancel`,
      `POST ${path}/rate`,
    ]) {
      const bodies: Record<string, object> = {
        comments: { body: "Hm" },
        attachments: { name: "a", content: "b" },
        rate: { satisfaction: 1 },
      };
      const body = call.startsWith("POST")
        ? (bodies[call.split("/").at(-1) ?? ""] ?? {})
        : undefined;
      const answer = await ben(call, body);
      expect([call, answer.status, answer.events]).toEqual([call, 404, []]);
    }
    for (const call of [`PATCH ${path}`, `POST ${path}/take`, `POST ${path}/resolve`]) {
      const answer = await ada(call, {});
      expect([call, answer.status, answer.events]).toEqual([call, 403, []]);
    }
    expect((await ada(`POST ${path}/comments`, { body: "x", internal: true })).status).toBe(403);
    const own = await ada(`GET ${INCIDENTS}?count=exact&limit=200`);
    expect(own.body.data.some((one: any) => one.id === id)).toBe(true);
    expect(own.body.data.every((one: any) => one.callerId === ada.userId)).toBe(true);
    expect((await ben(`GET ${INCIDENTS}?count=exact`)).body).toMatchObject({
      data: [],
      pagination: { total: 0 },
    });
    const probe = encodeURIComponent(JSON.stringify({ category: "more gossip" }));
    expect((await ada(`GET ${INCIDENTS}?filter=${probe}`)).status).toBe(422);
    // Read permission does not allow comments on incidents of others.
    expect((await viewer(`POST ${path}/comments`, { body: "Hm" })).status).toBe(403);
  });

  test("sees nothing of the ticket into which theirs was merged", async () => {
    const cleo = await world.member(["requester"]);
    const [{ path }, { body }] = await Promise.all([
      raise("My mouse"),
      cleo(`POST ${INCIDENTS}`, { title: "My payroll" }),
    ]);
    const other = body.data;
    await agent(`POST ${path}/merge`, { intoId: other.id });
    await agent(`POST ${path}/unmerge`);
    const { body: timeline } = await ada(`GET ${path}/timeline`);
    const types = timeline.data.map(({ type }: any) => type);
    expect(types).toEqual(["incident.unmerged", "incident.merged", "incident.created"]);
    for (const secret of [other.id, other.number, other.title]) {
      expect(JSON.stringify(timeline)).not.toContain(secret);
    }
  });

  test("confirms, reopens and rates, once for a week", async () => {
    const { path } = await raise();
    const early = await ada(`POST ${path}/rate`, { satisfaction: 5 });
    expect([early.status, early.body.code]).toEqual([409, "incident_wrong_state"]);
    await agent(`POST ${path}/resolve`, { resolution: "Done" });
    expect((await ada(`POST ${path}/reopen`, { reason: "No" })).events).toEqual([
      "incident.reopened",
    ]);
    await agent(`POST ${path}/resolve`, { resolution: "Done" });
    expect((await ada(`POST ${path}/close`)).events).toEqual(["incident.closed"]);
    const rated = await ada(`POST ${path}/rate`, { satisfaction: 2, comment: " Slow " });
    expect([rated.status, rated.events]).toEqual([200, ["incident.rated"]]);
    expect(rated.body.data).toMatchObject({ satisfaction: 2, satisfactionComment: "Slow" });
    expect((await ada(`POST ${path}/rate`, { satisfaction: 2, comment: "Slow" })).events).toEqual(
      [],
    );
    expect((await agent(`POST ${path}/rate`, { satisfaction: 5 })).body.code).toBe(
      "not_yours_to_rate",
    );
    expect((await ada(`POST ${path}/rate`, { satisfaction: 3 })).events).toEqual([
      "incident.rated",
    ]);
    world.clock.advance(8 * 24 * 3_600_000);
    const late = await ada(`POST ${path}/rate`, { satisfaction: 4 });
    expect([late.status, late.body.code]).toEqual([409, "rating_fixed"]);
    const filter = encodeURIComponent(JSON.stringify({ satisfaction: 3 }));
    expect((await agent(`GET ${INCIDENTS}?filter=${filter}`)).body.data).toHaveLength(1);
    const again = await ada(`POST ${path}/reopen`, {});
    expect(again.body.data).toMatchObject({ satisfaction: null, ratedAt: null });
  });
});

test("a watcher sees and comments, but cannot decide", async () => {
  const { path } = await raise();
  expect((await watcher(`GET ${path}`)).status).toBe(404);
  await agent(`POST ${path}/watchers`, { userId: watcher.userId });
  expect((await watcher(`GET ${path}`)).status).toBe(200);
  expect((await watcher(`GET ${INCIDENTS}`)).body.data).toHaveLength(1);
  expect((await watcher(`POST ${path}/comments`, { body: "Me too" })).status).toBe(201);
  expect((await watcher(`POST ${path}/cancel`, {})).status).toBe(403);
  await watcher(`DELETE ${path}/watchers/${watcher.userId}`);
  expect((await watcher(`GET ${path}`)).status).toBe(404);
});

test("tickets of a contact belong to the member with its verified address", async () => {
  const [{ email }] = await world.sql("select email from users where id = $1", [ben.userId]);
  const verify = (at: string) =>
    world.sql(`update users set email_verified_at = ${at} where id = $1`, [ben.userId]);
  await verify("null");
  const contact = await agent("POST /api/v1/itsm/contacts", { name: "Ben", address: email });
  const callerId = contact.body.data.id;
  const { body } = await agent(`POST ${INCIDENTS}`, { title: "By mail", callerId });
  const path = `${INCIDENTS}/${body.data.id}`;
  expect((await ben(`GET ${path}`)).status).toBe(404);
  expect((await ben(`GET ${INCIDENTS}`)).body.data).toEqual([]);
  await verify("now()");
  expect((await ben(`GET ${path}`)).status).toBe(200);
  expect((await ben(`GET ${INCIDENTS}`)).body.data).toMatchObject([{ title: "By mail" }]);
  expect((await ben("GET /api/v1/search?q=mail")).body.data.hits ?? []).toMatchObject([
    { kind: "incident", title: "By mail" },
  ]);
  await agent(`POST ${path}/resolve`, { resolution: "Done" });
  expect((await ben(`POST ${path}/rate`, { satisfaction: 5 })).events).toEqual(["incident.rated"]);
});

test("permissions to read or work on incidents include the user's own incidents", async () => {
  const owner = await world.member(["owner"]);
  const { path } = await raise();
  for (const permission of ["incidents:read", "incidents:write"]) {
    const role = await owner("POST /api/v1/settings/roles", {
      name: permission,
      permissions: [permission],
    });
    const holder = await world.member([role.body.data.id]);
    expect((await holder(`GET ${path}`)).status).toBe(200);
    expect((await holder(`GET ${INCIDENTS}`)).body.data.length).toBeGreaterThan(3);
  }
});
