import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const PATH = "/api/v1/itsm/incidents";
const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const other = await world.member(["agent"]);

async function raise(more: object = {}): Promise<any> {
  const { body } = await agent(`POST ${PATH}`, { title: "No mail", ...more });
  return body.data;
}

async function team(name: string): Promise<string> {
  return (await owner("POST /api/v1/itsm/teams", { name })).body.data.id;
}

async function lastEvent(): Promise<any> {
  return (await owner("GET /api/v1/audit?limit=1")).body.data[0];
}

const outcome = { resolution: "Replaced the disk" };

test("an incident is created with its input and derived fields", async () => {
  const plain = await agent(`POST ${PATH}`, { title: "No mail" });
  expect(plain).toMatchObject({
    status: 201,
    events: ["incident.created"],
    headers: { etag: '"1"' },
  });
  const { id, number, createdAt, ...rest } = plain.body.data;
  expect(plain.headers["location"]).toBe(`${PATH}/${id}`);
  expect(number).toMatch(/^INC\d{7}$/);
  expect(rest).toEqual({
    title: "No mail",
    description: "",
    tags: [],
    fields: {},
    state: "new",
    impact: 3,
    urgency: 3,
    priority: 5,
    severity: "medium",
    category: "",
    callerId: agent.userId,
    assigneeId: null,
    teamId: null,
    ciIds: [],
    isMajor: false,
    parentId: null,
    satisfaction: null,
    satisfactionComment: null,
    ratedAt: null,
    onHoldReason: null,
    holdUntil: null,
    mergedIntoId: null,
    resolution: null,
    resolutionCode: null,
    resolvedAt: null,
    resolvedBy: null,
    closedAt: null,
    reopenCount: 0,
    createdBy: agent.userId,
    updatedAt: createdAt,
  });
  expect(await lastEvent()).toMatchObject({
    resource: { type: "incident", id, number, displayName: "No mail" },
    data: plain.body.data,
  });
  for (const ref of [id, number]) {
    expect((await agent(`GET ${PATH}/${ref}`)).body).toEqual(plain.body);
  }

  const teamId = await team("Mail");
  const told = {
    description: "Since noon",
    impact: 1,
    urgency: 2,
    severity: "high",
    category: "mail",
    callerId: other.userId,
    assigneeId: agent.userId,
    teamId,
  };
  const full = await agent(`POST ${PATH}`, { title: "No mail at all", ...told });
  expect(full.events).toEqual(["incident.created", "incident.assigned"]);
  expect(full.body.data).toMatchObject({ ...told, priority: 2 });
  expect(Number(full.body.data.number.slice(3))).toBe(Number(number.slice(3)) + 1);
});

test("references must exist, on creation and on update", async () => {
  const nobody = "usr_01jzt3n5k8q2x4v6w8y0z2b4d6";
  const named = {
    assigneeId: nobody,
    callerId: nobody,
    teamId: "tem_01jzt3n5k8q2x4v6w8y0z2b4d6",
    ciIds: ["ci_01jzt3n5k8q2x4v6w8y0z2b4d6"],
  };
  const paths = ["/assigneeId", "/callerId", "/teamId", "/ciIds/0"];
  const { id } = await raise();
  for (const route of [`POST ${PATH}`, `PATCH ${PATH}/${id}`]) {
    const { status, body, events } = await agent(route, { title: "x", ...named });
    expect({ status, events }).toEqual({ status: 422, events: [] });
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
  }
});

test("a PATCH emits the changed fields and specific assignment and escalation events", async () => {
  const [first, second] = [await team("First line"), await team("Second line")];
  const { id } = await raise({ teamId: first });
  const patch = (body: object) => agent(`PATCH ${PATH}/${id}`, body);
  const described = await patch({ description: "Since noon", impact: 1 });
  expect(described).toMatchObject({
    status: 200,
    events: ["incident.updated"],
    headers: { etag: '"2"' },
    body: { data: { description: "Since noon", impact: 1, priority: 3 } },
  });
  expect((await lastEvent()).data).toMatchObject({
    before: { description: "", priority: 5 },
    after: described.body.data,
    changes: ["description", "impact", "priority"],
  });
  const cases: [object, string[]][] = [
    [{ impact: 1, description: "Since noon" }, []],
    [{ assigneeId: other.userId }, ["updated", "assigned"]],
    [{ assigneeId: other.userId }, []],
    [{ assigneeId: null }, ["updated"]],
    [{ severity: "low" }, ["updated"]],
    [{ severity: "critical" }, ["updated", "escalated"]],
    [{ teamId: second }, ["updated", "escalated"]],
    [{ teamId: null }, ["updated"]],
    [{ teamId: first }, ["updated"]],
    [
      { teamId: second, assigneeId: agent.userId, state: "in_progress" },
      ["updated", "assigned", "escalated"],
    ],
    [{ state: "on_hold", onHoldReason: "Parts are on the way" }, ["updated"]],
    [{ state: "resolved", ...outcome, resolutionCode: "workaround" }, ["updated", "resolved"]],
    [{ resolution: "Replaced the disk and the cable" }, ["updated"]],
    [{ state: "closed" }, ["updated", "closed"]],
    [{ state: "in_progress" }, ["updated", "reopened"]],
    [{ state: "cancelled", title: "Not needed" }, ["updated", "cancelled"]],
  ];
  for (const [body, verbs] of cases) {
    const answer = await patch(body);
    expect(answer.events, JSON.stringify(body)).toEqual(verbs.map((verb) => `incident.${verb}`));
    expect(answer.body.data).toMatchObject(body);
  }
  const over = await patch({ state: "new" });
  expect(over).toMatchObject({
    status: 409,
    body: { code: "incident_wrong_state", state: "cancelled", allowed: [] },
    events: [],
  });
  const { body, headers } = await agent(`GET ${PATH}/${id}`);
  expect(body.data).toMatchObject({ onHoldReason: null, reopenCount: 1, resolution: null });
  expect(headers["etag"]).toBe('"16"');
});

test("to resolve by a PATCH needs the permission to resolve", async () => {
  const role = {
    name: "Clerk",
    description: "",
    permissions: ["incidents:read", "incidents:write"],
  };
  const { body } = await owner("POST /api/v1/settings/roles", role);
  const clerk = await world.member([body.data.id]);
  const { id } = await raise();
  const refused = { status: 403, body: { code: "forbidden" }, events: [] };
  expect(await clerk(`POST ${PATH}/${id}/resolve`, outcome)).toMatchObject(refused);
  const state = { state: "resolved", ...outcome };
  expect(await clerk(`PATCH ${PATH}/${id}`, state)).toMatchObject(refused);
  // The permission is checked before the input is validated.
  expect((await clerk(`PATCH ${PATH}/${id}`, { state: "resolved" })).status).toBe(403);
  expect((await clerk(`PATCH ${PATH}/${id}`, { state: "in_progress" })).status).toBe(200);
});

test("each transition emits exactly its own event", async () => {
  const { id } = await raise();
  const act = (verb: string, body?: object) => agent(`POST ${PATH}/${id}/${verb}`, body);
  expect(await act("close")).toMatchObject({
    status: 409,
    body: { state: "new", allowed: ["start", "hold", "resolve", "cancel"] },
    events: [],
  });
  const done = await act("resolve", outcome);
  expect(done.events).toEqual(["incident.resolved"]);
  expect(done.body.data).toMatchObject({
    state: "resolved",
    ...outcome,
    resolutionCode: "solved",
    resolvedBy: agent.userId,
    resolvedAt: done.body.data.updatedAt,
  });
  expect((await lastEvent()).data).toEqual(done.body.data);
  expect(await act("resolve", outcome)).toMatchObject({ status: 409, events: [] });
  // Each workspace has its own codes.
  const recoded = await agent(`PATCH ${PATH}/${id}`, { resolutionCode: "Solved (Permanently)" });
  expect([recoded.status, recoded.events]).toEqual([200, ["incident.updated"]]);
  const closed = await act("close");
  expect(closed).toMatchObject({
    events: ["incident.closed"],
    body: { data: { state: "closed" } },
  });
  expect(closed.body.data.closedAt).toBe(closed.body.data.updatedAt);
  const back = await act("reopen", { reason: "The error occurred again" });
  expect(back.events).toEqual(["incident.reopened"]);
  expect(back.body.data).toMatchObject({
    state: "in_progress",
    resolution: null,
    resolutionCode: null,
    resolvedAt: null,
    resolvedBy: null,
    closedAt: null,
    reopenCount: 1,
  });
  expect((await lastEvent()).data).toEqual({
    ...back.body.data,
    reason: "The error occurred again",
  });
  const off = await act("cancel");
  expect(off).toMatchObject({
    events: ["incident.cancelled"],
    body: { data: { state: "cancelled" } },
  });
  expect((await lastEvent()).data).toEqual({ ...off.body.data, reason: null });
  for (const verb of ["close", "reopen", "cancel"]) expect((await act(verb)).status).toBe(409);
});

test("an escalation raises the severity or names another team, and says why", async () => {
  const teamId = await team("Experts");
  const { id } = await raise({ assigneeId: other.userId });
  const escalate = (body: object) => agent(`POST ${PATH}/${id}/escalate`, body);
  const raised = await escalate({ severity: "high", reason: "The whole site" });
  expect(raised).toMatchObject({
    status: 200,
    events: ["incident.escalated"],
    body: { data: { severity: "high", teamId: null, assigneeId: other.userId } },
  });
  expect((await lastEvent()).data).toEqual({ ...raised.body.data, reason: "The whole site" });
  const moved = await escalate({ teamId, reason: "Needs experts" });
  expect(moved).toMatchObject({ events: ["incident.escalated"], body: { data: { teamId } } });
  const vain = await escalate({ severity: "high", teamId, reason: "Still" });
  expect(vain).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/severity" }] },
    events: [],
  });
  const unknown = await escalate({ teamId: "tem_01jzt3n5k8q2x4v6w8y0z2b4d6", reason: "Who?" });
  expect(unknown).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/teamId" }] },
    events: [],
  });
  await agent(`POST ${PATH}/${id}/resolve`, outcome);
  const late = await escalate({ severity: "critical", reason: "Late" });
  expect(late).toMatchObject({ status: 409, body: { code: "incident_wrong_state" }, events: [] });
});

test("an incident is assigned to people and teams, and unassigned", async () => {
  const [here, there] = [await team("Here"), await team("There")];
  const { id } = await raise();
  const assign = async (body: object) => (await agent(`POST ${PATH}/${id}/assign`, body)).events;
  expect(await assign({ assigneeId: other.userId, teamId: here })).toEqual([
    "incident.updated",
    "incident.assigned",
  ]);
  expect(await assign({ assigneeId: other.userId, teamId: here })).toEqual([]);
  expect(await assign({ teamId: there })).toEqual(["incident.updated", "incident.escalated"]);
  expect(await assign({ assigneeId: null, teamId: null })).toEqual(["incident.updated"]);
  const { status } = await agent(`POST ${PATH}/${id}/assign`, {});
  expect(status).toBe(422);
});

test("only one of two concurrent resolutions succeeds, and If-Match is enforced", async () => {
  const { id } = await raise();
  const both = await Promise.all(
    [agent, other].map((ask) => ask(`POST ${PATH}/${id}/resolve`, outcome)),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(both.flatMap(({ events }) => events)).toEqual(["incident.resolved"]);
  const stale = { "if-match": '"1"' };
  const late = [
    await agent(`PATCH ${PATH}/${id}`, { title: "x" }, stale),
    await agent(`POST ${PATH}/${id}/close`, undefined, stale),
  ];
  for (const answer of late) expect(answer).toMatchObject({ status: 412, events: [] });
  const seen = { "if-match": '"2"' };
  const closing = await agent(`POST ${PATH}/${id}/close`, undefined, seen);
  expect(closing).toMatchObject({ status: 200, headers: { etag: '"3"' } });
});
