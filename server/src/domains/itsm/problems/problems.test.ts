import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const agent = await world.member(["agent"]);
const viewer = await world.member(["viewer"]);

const PATH = "/api/v1/itsm/problems";
const raise = async (draft: object = {}) =>
  (await agent(`POST ${PATH}`, { title: "It stops", ...draft })).body.data;
const incident = async (title = "Broken"): Promise<string> =>
  (await agent("POST /api/v1/itsm/incidents", { title })).body.data.id;
const act = (id: string, action: string, body?: object) =>
  agent(`POST ${PATH}/${id}/${action}`, body);

test("a problem goes from open to closed and back, with one event per transition", async () => {
  const made = await agent(`POST ${PATH}`, { title: "It stops", description: "Nightly" });
  expect(made).toMatchObject({
    status: 201,
    events: ["problem.created"],
    headers: { etag: '"1"', location: `${PATH}/${made.body.data.id}` },
    body: {
      data: {
        number: expect.stringMatching(/^PRB\d{7}$/),
        state: "open",
        priority: 3,
        rootCause: null,
        workaround: null,
        resolution: null,
        knownErrorAt: null,
        ciIds: [],
        createdBy: agent.userId,
      },
    },
  });
  const { id, number } = made.body.data;
  const investigated = await act(number, "investigate");
  expect(investigated).toMatchObject({
    status: 200,
    events: ["problem.investigation_started"],
    body: { data: { id, state: "investigating" } },
  });
  expect(await act(id, "declare_known_error")).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/rootCause" }, { path: "/workaround" }] },
    events: [],
  });
  const known = await act(id, "declare-known-error", { rootCause: "Dust", workaround: "Blow" });
  expect(known).toMatchObject({
    status: 200,
    events: ["problem.known_error_declared"],
    body: { data: { state: "known_error", rootCause: "Dust", workaround: "Blow" } },
  });
  expect(await act(id, "close")).toMatchObject({
    status: 409,
    body: { code: "problem_wrong_state", state: "known_error", allowed: ["resolve"] },
    events: [],
  });
  const resolved = await act(id, "resolve", { resolution: "A filter" });
  expect(resolved).toMatchObject({
    events: ["problem.resolved"],
    body: { data: { resolution: "A filter" } },
  });
  expect((await act(id, "close")).events).toEqual(["problem.closed"]);
  expect(await agent(`PATCH ${PATH}/${id}`, { title: "Else" })).toMatchObject({
    status: 409,
    body: { code: "problem_wrong_state", allowed: ["reopen"] },
    events: [],
  });
  const reopened = await act(id, "reopen");
  expect(reopened).toMatchObject({
    events: ["problem.reopened"],
    headers: { etag: '"6"' },
    body: {
      data: { state: "investigating", resolution: null, knownErrorAt: null, closedAt: null },
    },
  });
  const [event] = (await world.sql(
    "select resource_id, resource_number, data from events where type = 'problem.reopened'",
  )) as [any];
  expect(event.data).toEqual(reopened.body.data);
  expect([event.resource_id, event.resource_number]).toEqual([id, number]);
});

test("an edit emits what it changed, clears by null, and emits nothing when nothing changed", async () => {
  const { id } = await raise({ assigneeId: agent.userId, rootCause: "Dust" });
  const edit = { title: "It halts", assigneeId: null, rootCause: null };
  const edited = await agent(`PATCH ${PATH}/${id}`, edit, { "if-match": '"1"' });
  expect(edited).toMatchObject({
    status: 200,
    events: ["problem.updated"],
    headers: { etag: '"2"' },
    body: { data: edit },
  });
  const [{ data }] = (await world.sql(
    "select data from events where type = 'problem.updated' and resource_id = $1",
    [id],
  )) as [any];
  expect(data.changes.toSorted()).toEqual(["assigneeId", "rootCause", "title"]);
  expect(await agent(`PATCH ${PATH}/${id}`, { title: "It halts" })).toMatchObject({
    status: 200,
    headers: { etag: '"2"' },
    events: [],
  });
  const nobody = "usr_01jzt3n5k8q2x4v6w8y0z2b4d6";
  const wrong = {
    assigneeId: nobody,
    teamId: nobody.replace("usr", "tem"),
    ciIds: [nobody.replace("usr", "ci")],
  };
  expect(await agent(`PATCH ${PATH}/${id}`, wrong)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/assigneeId" }, { path: "/teamId" }, { path: "/ciIds/0" }] },
    events: [],
  });
});

test("incidents are linked once, shown with the problem, and show its workaround", async () => {
  const [first, second] = [await incident("One"), await incident("Two")];
  const made = await agent(`POST ${PATH}`, {
    title: "It stops",
    workaround: "Blow",
    incidentIds: [first],
  });
  expect(made.events).toEqual(["problem.created", "problem.incident_linked"]);
  const { id } = made.body.data;
  const linked = await act(id, "incidents", { incidentIds: [first, second] });
  expect(linked).toMatchObject({ status: 200, events: ["problem.incident_linked"] });
  expect(linked.headers["etag"]).toBe('"2"');
  expect(await act(id, "incidents", { incidentIds: [second] })).toMatchObject({
    status: 200,
    events: [],
    headers: { etag: '"2"' },
  });
  const { body } = await viewer(`GET ${PATH}/${id}`);
  expect(body.data.incidents.map((one: any) => [one.kind, one.id, one.title])).toEqual([
    ["incident", second, "Two"],
    ["incident", first, "One"],
  ]);
  const page = await viewer(`GET ${PATH}/${id}/incidents?limit=1`);
  expect(page.body.data.map((one: any) => one.id)).toEqual([second]);
  const { nextCursor } = page.body.pagination;
  const rest = await viewer(`GET ${PATH}/${id}/incidents?limit=1&after=${nextCursor}`);
  expect(rest.body.data.map((one: any) => one.id)).toEqual([first]);
  expect(rest.body.pagination.hasMore).toBe(false);
  const other = await raise();
  const elsewhere = await viewer(`GET ${PATH}/${other.id}/incidents?after=${nextCursor}`);
  expect(elsewhere.status).toBe(422);
  const links = await viewer(`GET /api/v1/itsm/incidents/${first}/links`);
  expect(links.body.data).toMatchObject([
    { type: "caused_by", direction: "out", ticket: { kind: "problem", id, workaround: "Blow" } },
  ]);

  const gone = await agent(`DELETE ${PATH}/${id}/incidents/${first}`);
  expect(gone).toMatchObject({ status: 204, events: ["problem.incident_unlinked"] });
  expect(await agent(`DELETE ${PATH}/${id}/incidents/${first}`)).toMatchObject({
    status: 404,
    events: [],
  });
  const none = "inc_01jzt3n5k8q2x4v6w8y0z2b4d6";
  expect(await act(id, "incidents", { incidentIds: [first, none] })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/incidentIds/1", message: "is not an incident that you can see" }] },
    events: [],
  });
});

test("concurrent links of the same incident are one", async () => {
  const { id } = await raise();
  const incidentIds = [await incident()];
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => act(id, "incidents", { incidentIds })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers.flatMap(({ events }) => events)).toEqual(["problem.incident_linked"]);
});

test("lists are filtered by state, assignee and search; known errors have a separate list", async () => {
  const mine = await raise({ title: "Zeppelin leaks", assigneeId: agent.userId });
  const { id } = await raise({ title: "Zeppelin sinks", rootCause: "Gas", workaround: "Helium" });
  await act(id, "declare_known_error");
  const titles = async (query: string, ask: Ask = viewer) =>
    (await ask(`GET ${query}`)).body.data.map((one: any) => one.title);
  expect(await titles(`${PATH}?q=zeppelin&sort=title`)).toEqual([
    "Zeppelin leaks",
    "Zeppelin sinks",
  ]);
  expect(await titles(`${PATH}?q=zeppelin&state=open`)).toEqual(["Zeppelin leaks"]);
  expect(await titles(`${PATH}?mine=true`, agent)).toEqual([mine.title]);
  expect(await titles(`${PATH}?mine=true`)).toEqual([]);
  expect(await titles("/api/v1/itsm/known-errors?q=HELIUM")).toEqual(["Zeppelin sinks"]);
  const filter = encodeURIComponent('{"priority":{"lte":2}}');
  expect(await titles(`${PATH}?filter=${filter}`)).toEqual([]);
  await act(id, "resolve", { resolution: "Sold" });
  expect(await titles("/api/v1/itsm/known-errors?q=helium")).toEqual([]);
});

test("a reader cannot change a problem", async () => {
  const { id } = await raise();
  expect((await viewer(`GET ${PATH}/${id}`)).status).toBe(200);
  expect(await viewer(`POST ${PATH}/${id}/investigate`)).toMatchObject({ status: 403, events: [] });
  const member = await world.member(["member"]);
  expect((await member(`GET ${PATH}/${id}`)).status).toBe(403);
});
