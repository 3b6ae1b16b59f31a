import { describe, expect, test } from "vitest";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

type Somebody = Ask & { userId: string };

const world = await useWorld({ work: true });
const [owner, agent, viewer, member] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["viewer"]),
  world.member(["member"]),
]);

async function incident(): Promise<{ path: string; id: string }> {
  const { body } = await agent("POST /api/v1/itsm/incidents", { title: "The line is dead" });
  return { path: `/api/v1/itsm/incidents/${body.data.id}`, id: body.data.id };
}

async function roleOf(permissions: readonly string[]): Promise<{ id: string; holder: Somebody }> {
  const name = permissions.join(" and ");
  const { body } = await owner("POST /api/v1/settings/roles", { name, permissions });
  return { id: body.data.id, holder: await world.member([body.data.id]) };
}

/** The events of a ticket that a member receives through a subscription. */
async function heard(ask: Ask, where: string, id: string): Promise<any[]> {
  await world.settled();
  const { status, body } = await ask(`GET ${where}${where.includes("?") ? "&" : "?"}limit=200`);
  expect(status).toBe(200);
  return body.data.filter(({ resource }: any) => resource.id === id);
}
const topic = (name: string) => `/api/v1/events/topics/${name}/events?timeout=0`;
const typesOf = (events: readonly any[]) => events.map(({ type }) => type);

describe("an internal comment", () => {
  test("is visible to agents and auditors, but its text is not in events", async () => {
    const { path, id } = await incident();
    await agent(`POST ${path}/comments`, { body: "It was Bob.", internal: true });
    await agent(`POST ${path}/comments`, { body: "We are on it." });
    const auditor = await world.member(["auditor"]);
    const open = ["incident.created", "incident.comment_added"];
    const all = [...open, "incident.comment_added"];
    for (const where of [topic("incident"), topic("platform.events")]) {
      expect(typesOf(await heard(viewer, where, id))).toEqual(open);
      expect(typesOf(await heard(agent, where, id))).toEqual(all);
    }
    const audited = await heard(auditor, `/api/v1/audit?resourceId=${id}`, id);
    expect(typesOf(audited)).toEqual(all.toReversed());
    for (const ask of [owner, agent, auditor]) {
      expect(JSON.stringify(await heard(ask, topic("incident"), id))).not.toContain("Bob");
    }
  });

  test("notifies watchers who can read it", async () => {
    const { path, id } = await incident();
    for (const ask of [owner, viewer]) await ask(`POST ${path}/watchers`);
    await agent(`POST ${path}/comments`, { body: "It was Bob.", internal: true });
    await agent(`POST ${path}/resolve`, { resolution: "Done" });
    const told = async (ask: Ask): Promise<string[]> => {
      const { body } = await ask("GET /api/v1/notifications");
      const own = body.data.filter(({ resource }: any) => resource?.id === id);
      return own.map(({ title }: any) => title.replace(/^\S+ /, "")).toReversed();
    };
    await until(async () => (await told(viewer)).length > 0);
    expect(await told(viewer)).toEqual(["was resolved"]);
    expect(await told(owner)).toEqual(["has a new comment", "was resolved"]);
  });
});

describe("a member who cannot read a ticket", () => {
  test("sees none of its events on topics, in the audit log or in reports", async () => {
    const { id } = await incident();
    expect(await heard(member, topic("incident"), id)).toEqual([]);
    expect(await heard(member, topic("platform.events"), id)).toEqual([]);
    const draft = { source: { kind: "events" }, filter: { resourceId: id }, groupBy: ["type"] };
    const counted = async (ask: Ask) =>
      (await ask("POST /api/v1/analytics/reports/preview", draft)).body.data.rows;
    const blind = await roleOf(["audit:read", "analytics:*"]);
    expect(await heard(blind.holder, `/api/v1/audit?resourceId=${id}`, id)).toEqual([]);
    expect(await counted(blind.holder)).toEqual([]);
    const both = await roleOf(["audit:read", "analytics:*", "incidents:read"]);
    expect(await heard(both.holder, `/api/v1/audit?resourceId=${id}`, id)).toHaveLength(1);
    expect(await counted(both.holder)).toEqual([{ type: "incident.created", count: 1 }]);
  });

  test("sees its events only while having read permission", async () => {
    const { id } = await incident();
    const role = await roleOf(["events:read"]);
    const grant = (permissions: readonly string[]) =>
      owner(`PATCH /api/v1/settings/roles/${role.id}`, { permissions });
    expect(await heard(role.holder, topic("incident"), id)).toEqual([]);
    await grant(["events:read", "incidents:read"]);
    expect(await heard(role.holder, topic("incident"), id)).toHaveLength(1);
    await grant(["events:read"]);
    expect(await heard(role.holder, topic("incident"), id)).toEqual([]);
  });

  test("is not notified even as an earlier watcher", async () => {
    const { path, id } = await incident();
    const leaving = await world.member(["viewer"]);
    for (const ask of [leaving, viewer]) await ask(`POST ${path}/watchers`);
    const { id: roleId } = await roleOf(["notifications:read"]);
    await world.sql("update memberships set roles = array[$2] where user_id = $1", [
      leaving.userId,
      roleId,
    ]);
    await agent(`POST ${path}/resolve`, { resolution: "Done" });
    const told = async (ask: Ask): Promise<any[]> =>
      (await ask("GET /api/v1/notifications")).body.data.filter(
        ({ resource }: any) => resource?.id === id,
      );
    await until(async () => (await told(viewer)).length > 0);
    expect(await told(leaving)).toEqual([]);
  });
});

test("events of a request are visible to its requesters, its approvers and agents", async () => {
  const approver = await world.member(["member"]);
  const other = await world.member(["member"]);
  const item = await owner("POST /api/v1/catalog/items", {
    name: "A raise",
    form: { type: "object", properties: { why: { type: "string" } } },
    approval: { required: true, approverIds: [approver.userId] },
  });
  const { body } = await member("POST /api/v1/catalog/requests", {
    itemId: item.body.data.id,
    values: { why: "I am poor" },
  });
  const { id } = body.data;
  const path = `/api/v1/catalog/requests/${id}`;
  const asked = await approver(`POST ${path}/comments`, { body: "How much?" });
  expect([asked.status, asked.events]).toEqual([201, ["request.comment_added"]]);
  expect((await approver(`GET ${path}/timeline`)).body.data).toHaveLength(3);
  const events = ["request.created", "request.approval_requested", "request.comment_added"];
  for (const ask of [member, approver, agent, viewer]) {
    expect(typesOf(await heard(ask, topic("request"), id))).toEqual(events);
  }
  expect(await heard(other, topic("request"), id)).toEqual([]);
  expect((await other(`GET ${path}/comments`)).status).toBe(404);
});
