import { describe, expect, test } from "vitest";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const [owner, agent, viewer] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["viewer"]),
]);

async function incident(title = "The printer is on fire"): Promise<{ path: string; id: string }> {
  const { body } = await agent("POST /api/v1/itsm/incidents", { title });
  return { path: `/api/v1/itsm/incidents/${body.data.id}`, id: body.data.id };
}

describe("numbers", () => {
  test("concurrently created tickets get unique numbers without a gap", async () => {
    const first = await incident();
    const { body } = await agent(`GET ${first.path}`);
    const start = Number(body.data.number.slice(3));
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        agent("POST /api/v1/itsm/incidents", { title: `T${n}` }),
      ),
    );
    const numbers = made.map((one) => one.body.data.number as string).toSorted();
    const expected = made.map((_, n) => `INC${String(start + 1 + n).padStart(7, "0")}`);
    expect(numbers).toEqual(expected);
  });

  test("finds a ticket by number or id", async () => {
    const { path, id } = await incident();
    const { body } = await agent(`GET ${path}`);
    const found = await agent(`GET /api/v1/itsm/incidents/${body.data.number}`);
    expect(found.body.data.id).toBe(id);
    const missing = await agent("GET /api/v1/itsm/incidents/INC9999999");
    expect([missing.status, missing.body.code]).toEqual([404, "not_found"]);
  });
});

describe("teams", () => {
  test("a team with open tickets cannot be deleted", async () => {
    const made = await owner("POST /api/v1/itsm/teams", {
      name: "Network",
      memberIds: [agent.userId],
    });
    expect([made.status, made.events]).toEqual([201, ["team.created"]]);
    const path = `/api/v1/itsm/teams/${made.body.data.id}`;
    const ticket = await incident();
    await agent(`PATCH ${ticket.path}`, { teamId: made.body.data.id });
    const refused = await owner(`DELETE ${path}`);
    expect([refused.status, refused.body.code, refused.events]).toEqual([409, "team_in_use", []]);
    await agent(`POST ${ticket.path}/cancel`);
    const gone = await owner(`DELETE ${path}`);
    expect([gone.status, gone.events]).toEqual([204, ["team.deleted"]]);
  });

  test("names are unique, members must exist, and a change needs desk:write", async () => {
    await owner("POST /api/v1/itsm/teams", { name: "Database" });
    const twice = await owner("POST /api/v1/itsm/teams", { name: "Database" });
    expect([twice.status, twice.body.code]).toEqual([409, "team_exists"]);
    const stranger = await owner("POST /api/v1/itsm/teams", {
      name: "Strangers",
      memberIds: [agent.userId, "usr_00000000000000000000000000"],
    });
    expect(stranger.body.errors).toEqual([
      { path: "/memberIds/1", message: "is not the id of an active member" },
    ]);
    expect((await agent("POST /api/v1/itsm/teams", { name: "Mine" })).status).toBe(403);
  });

  test("a PATCH without changes emits nothing", async () => {
    const { body } = await owner("POST /api/v1/itsm/teams", { name: "Idle" });
    const path = `/api/v1/itsm/teams/${body.data.id}`;
    const [{ data }] = await world.sql("select data from events where resource_id = $1", [
      body.data.id,
    ]);
    expect(data).toEqual(body.data);
    const same = await owner(`PATCH ${path}`, { name: "Idle" });
    expect([same.status, same.events, same.headers["etag"]]).toEqual([200, [], '"1"']);
    const stale = await owner(`PATCH ${path}`, { name: "Busy" }, { "if-match": '"7"' });
    expect(stale.status).toBe(412);
  });
});

test("each workspace has its own priority matrix and time to close", async () => {
  const usual = await owner("GET /api/v1/itsm/settings");
  expect(usual.body.data).toMatchObject({ autoCloseDays: 7 });
  const { body } = await agent("POST /api/v1/itsm/incidents", {
    title: "A",
    impact: 1,
    urgency: 3,
  });
  expect(body.data.priority).toBe(3);
  const priorityMatrix = [
    [1, 1, 1],
    [2, 3, 4],
    [3, 4, 5],
  ];
  const changed = await owner("PATCH /api/v1/itsm/settings", { priorityMatrix });
  expect([changed.status, changed.events]).toEqual([200, ["audit.desk_settings.updated"]]);
  const [told] = await world.sql(
    "select data from events where type = 'audit.desk_settings.updated'",
  );
  expect(told.data).toEqual({
    before: usual.body.data,
    after: changed.body.data,
    changes: ["priorityMatrix"],
  });
  const next = await agent("POST /api/v1/itsm/incidents", { title: "B", impact: 1, urgency: 3 });
  expect(next.body.data.priority).toBe(1);
  const wrong = await owner("PATCH /api/v1/itsm/settings", { priorityMatrix: [[1, 2, 6]] });
  expect(wrong.status).toBe(422);
});

describe("comments", () => {
  test("internal comments are visible to agents, and the log does not contain their text", async () => {
    const { path, id } = await incident();
    const open = await agent(`POST ${path}/comments`, { body: "We are on it." });
    const inner = await agent(`POST ${path}/comments`, { body: "It was Bob.", internal: true });
    expect([open.status, open.events]).toEqual([201, ["incident.comment_added"]]);
    expect([inner.status, inner.events]).toEqual([201, ["incident.comment_added"]]);
    const seen = async (ask: Ask, what: string) => {
      const { body } = await ask(`GET ${path}/${what}`);
      return JSON.stringify(body.data)
        .match(/We are on it|It was Bob/g)
        ?.toSorted();
    };
    expect(await seen(agent, "comments")).toEqual(["It was Bob", "We are on it"]);
    expect(await seen(viewer, "comments")).toEqual(["We are on it"]);
    expect(await seen(agent, "timeline")).toEqual(["It was Bob", "We are on it"]);
    expect(await seen(viewer, "timeline")).toEqual(["We are on it"]);
    const logged = await world.sql("select data from events where resource_id = $1", [id]);
    expect(JSON.stringify(logged)).toContain("We are on it");
    expect(JSON.stringify(logged)).not.toContain("It was Bob");
    expect((await viewer(`POST ${path}/comments`, { body: "I too." })).status).toBe(403);
  });

  test("comments are paged, oldest first", async () => {
    const { path } = await incident();
    for (const body of ["1", "2", "3"]) await agent(`POST ${path}/comments`, { body });
    const first = await agent(`GET ${path}/comments?limit=2`);
    expect(first.body.data.map(({ body }: any) => body)).toEqual(["1", "2"]);
    const { nextCursor } = first.body.pagination;
    const second = await agent(`GET ${path}/comments?limit=2&after=${nextCursor}`);
    expect(second.body.data.map(({ body }: any) => body)).toEqual(["3"]);
    expect(second.body.pagination.hasMore).toBe(false);
  });
});

test("requesters can comment on their request, and links do not reveal other requests", async () => {
  const item = await owner("POST /api/v1/catalog/items", {
    name: "A chair",
    form: { type: "object", properties: {} },
  });
  const [one, two] = await Promise.all([world.member(["member"]), world.member(["member"])]);
  const ask = { itemId: item.body.data.id, values: {} };
  const { body } = await one("POST /api/v1/catalog/requests", ask);
  const path = `/api/v1/catalog/requests/${body.data.id}`;
  expect((await one(`POST ${path}/comments`, { body: "A red one" })).status).toBe(201);
  const inner = await one(`POST ${path}/comments`, { body: "Hm", internal: true });
  expect([inner.status, inner.events]).toEqual([403, []]);
  expect((await two(`POST ${path}/comments`, { body: "Me too" })).status).toBe(404);
  const other = await two("POST /api/v1/catalog/requests", ask);
  const theirs = `/api/v1/catalog/requests/${other.body.data.id}`;
  await agent(`POST ${theirs}/links`, { ticketId: body.data.id });
  expect((await two(`GET ${theirs}/links`)).body).toMatchObject({ data: [] });
  expect((await agent(`GET ${theirs}/links`)).body.data).toHaveLength(1);
});

describe("watchers", () => {
  test("are notified of changes by others, but not of their own changes or of internal comments", async () => {
    const { path, id } = await incident("Watched");
    const added = await viewer(`POST ${path}/watchers`);
    expect([added.status, added.events]).toEqual([201, ["incident.watcher_added"]]);
    const again = await viewer(`POST ${path}/watchers`);
    expect([again.body, again.events]).toEqual([added.body, []]);
    await agent(`POST ${path}/watchers`);
    await agent(`POST ${path}/comments`, { body: "Secret", internal: true });
    await agent(`POST ${path}/comments`, { body: "News" });
    await agent(`POST ${path}/resolve`, { resolution: "Done" });
    const titlesOf = async (ask: Ask): Promise<string[]> => {
      const { body } = await ask("GET /api/v1/notifications");
      const own = body.data.filter(({ resource }: any) => resource?.id === id);
      return own.map(({ title }: any) => title.replace(/^\S+ /, "")).toReversed();
    };
    await until(async () => (await titlesOf(viewer)).length >= 2);
    await world.settled();
    expect(await titlesOf(viewer)).toEqual(["has a new comment", "was resolved"]);
    expect(await titlesOf(agent)).toEqual([]);
  });

  test("adding or removing other watchers needs the permission to write", async () => {
    const { path } = await incident();
    const refused = await viewer(`POST ${path}/watchers`, { userId: owner.userId });
    expect([refused.status, refused.events]).toEqual([403, []]);
    const done = await agent(`POST ${path}/watchers`, { userId: viewer.userId });
    expect(done.status).toBe(201);
    const removed = await viewer(`DELETE ${path}/watchers/${viewer.userId}`);
    expect([removed.status, removed.events]).toEqual([204, ["incident.watcher_removed"]]);
    expect((await viewer(`DELETE ${path}/watchers/${viewer.userId}`)).status).toBe(404);
  });
});

test("returns text attachments unchanged and limits the size to 1 MiB", async () => {
  const { path } = await incident();
  const content = "é\n".repeat(300_000);
  const added = await agent(`POST ${path}/attachments`, { name: "a b.log", content });
  expect([added.status, added.events]).toEqual([201, ["incident.attachment_added"]]);
  expect(added.body.data).toMatchObject({ name: "a b.log", bytes: 900_000 });
  const got = await world.app.inject({
    url: `${path}/attachments/${added.body.data.id}`,
    headers: { authorization: `Bearer ${agent.token}`, "x-workspace": "default" },
  });
  expect(got.body).toBe(content);
  expect(got.headers).toMatchObject({
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": 'attachment; filename="a b.log"',
  });
  const large = await agent(`POST ${path}/attachments`, {
    name: "b.log",
    content: "é".repeat(600_000),
  });
  expect([large.status, large.body.code]).toEqual([413, "attachment_too_large"]);
  const binary = await agent(`POST ${path}/attachments`, { name: "c", content: "a\u0000b" });
  expect([binary.status, binary.body.errors[0].path]).toEqual([422, "/content"]);
});

describe("links", () => {
  test("links are visible from both tickets, with the workaround of a known error", async () => {
    const { path, id } = await incident("Slow");
    const problem = await agent("POST /api/v1/itsm/problems", { title: "A leak" });
    const { id: problemId } = problem.body.data;
    const link = { type: "caused_by", ticketId: problemId };
    const linked = await agent(`POST ${path}/links`, link);
    expect([linked.status, linked.events]).toEqual([201, ["incident.linked"]]);
    await agent(`POST /api/v1/itsm/problems/${problemId}/declare_known_error`, {
      rootCause: "It leaks",
      workaround: "Restart it",
    });
    const out = await agent(`GET ${path}/links`);
    expect(out.body.data).toMatchObject([
      {
        type: "caused_by",
        direction: "out",
        ticket: { id: problemId, state: "known_error", workaround: "Restart it" },
      },
    ]);
    const back = await agent(`GET /api/v1/itsm/problems/${problemId}/links`);
    expect(back.body.data).toMatchObject([{ direction: "in", ticket: { id, title: "Slow" } }]);
    const twice = await agent(`POST ${path}/links`, link);
    expect([twice.status, twice.body.code]).toEqual([409, "link_exists"]);
    const linkId = linked.body.data.id;
    const removed = await agent(`DELETE /api/v1/itsm/problems/${problemId}/links/${linkId}`);
    expect([removed.status, removed.events]).toEqual([204, ["problem.unlinked"]]);
  });

  test("a link needs another existing ticket", async () => {
    const { path, id } = await incident();
    const unknown = { ticketId: "chg_00000000000000000000000000" };
    const missing = await agent(`POST ${path}/links`, unknown);
    const self = await agent(`POST ${path}/links`, { ticketId: id });
    for (const { status, body } of [missing, self]) {
      expect([status, body.errors[0].path]).toEqual([422, "/ticketId"]);
    }
  });
});

test("the timeline shows changes with authors, newest first", async () => {
  const { path } = await incident("Before");
  await agent(`PATCH ${path}`, { title: "After", urgency: 1 });
  const { body } = await viewer(`GET ${path}/timeline`);
  expect(body.data.map(({ type }: any) => type)).toEqual(["incident.updated", "incident.created"]);
  expect(body.data[0]).toMatchObject({
    actor: { type: expect.any(String) },
    changes: expect.arrayContaining([{ field: "title", from: "Before", to: "After" }]),
  });
});

test("workflows access tickets with the deployer's permissions", async () => {
  const { body } = await owner("POST /api/v1/workflows", {
    name: "Raise and resolve",
    trigger: { type: "manual" },
    nodes: [
      {
        id: "raise",
        type: "ticket",
        config: {
          operation: "create",
          kind: "incident",
          fields: { title: "{{ trigger.input.what }}" },
        },
      },
      {
        id: "remark",
        type: "ticket",
        config: {
          operation: "comment",
          kind: "incident",
          id: "{{ steps.raise.output.id }}",
          fields: { body: "By a workflow" },
        },
      },
      {
        id: "resolve",
        type: "ticket",
        config: {
          operation: "resolve",
          kind: "incident",
          id: "{{ steps.raise.output.number }}",
          fields: { resolution: "Done" },
        },
      },
    ],
    edges: [
      { from: "raise", to: "remark" },
      { from: "remark", to: "resolve" },
    ],
  });
  const path = `/api/v1/workflows/${body.data.id}`;
  await owner(`POST ${path}/activate`);
  const ran = await owner(`POST ${path}/trigger?wait=20000`, { input: { what: "Disk full" } });
  const run = await owner(`GET /api/v1/runs/${ran.body.data.runId}`);
  expect(run.body.data.error).toBeNull();
  const [{ id }] = await world.sql("select id from incidents where title = 'Disk full'");
  const { body: told } = await agent(`GET /api/v1/itsm/incidents/${id}/timeline`);
  expect(told.data.map(({ type, actor }: any) => [type, actor.type])).toEqual([
    ["incident.resolved", "workflow"],
    ["incident.comment_added", "workflow"],
    ["incident.created", "workflow"],
  ]);
});

test("the listed state machines equal the enforced ones", async () => {
  const { body } = await viewer("GET /api/v1/itsm/state-machines");
  const { transitions, states, initial } = body.data.find(({ kind }: any) => kind === "incident");
  expect([initial, states]).toEqual([
    "new",
    ["new", "in_progress", "on_hold", "resolved", "closed", "cancelled"],
  ]);
  expect(transitions).toContainEqual({
    action: "close",
    from: ["resolved"],
    to: "closed",
    automatic: false,
  });
  const { path } = await incident();
  const refused = await agent(`POST ${path}/close`);
  expect([refused.status, refused.body.code, refused.body.state]).toEqual([
    409,
    "incident_wrong_state",
    "new",
  ]);
  const allowed = transitions.filter(({ from }: any) => from.includes("new"));
  expect(refused.body.allowed).toEqual(allowed.map(({ action }: any) => action));
});
