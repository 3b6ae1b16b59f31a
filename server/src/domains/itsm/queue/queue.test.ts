import { describe, expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const elsewhere = await world.workspace("elsewhere");
const [owner, agent, colleague, viewer, member, stranger] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["agent"]),
  world.member(["viewer"]),
  world.member(["member"]),
  world.member(["owner"], elsewhere),
]);
const TICKETS = "/api/v1/itsm/tickets";
const VIEWS = "/api/v1/itsm/views";
const HOUR_MS = 3_600_000;

const { body: made } = await owner("POST /api/v1/itsm/teams", {
  name: "Network",
  memberIds: [agent.userId, colleague.userId],
});
const team = made.data.id as string;
await owner("POST /api/v1/itsm/sla-policies", {
  name: "By urgency",
  entity: "incident",
  conditions: { priority: { lte: 3 } },
  targets: [{ metric: "resolution", minutes: 240 }],
  pauseOn: ["on_hold"],
});

const raise = async (title: string, more: object = {}) =>
  (await agent("POST /api/v1/itsm/incidents", { title, ...more })).body.data;
const list = async (by: typeof agent, query: string) => (await by(`GET ${TICKETS}?${query}`)).body;
const numbers = ({ data }: any) => data.map((one: any) => one.number);
const seen = (id: string, fits: (ticket: any) => boolean) =>
  until(async () => {
    const { body } = await agent(`GET ${TICKETS}/${id}`);
    return fits(body.data) && body.data;
  });

describe("the queue", () => {
  test("contains open tickets of all kinds, next deadline first, with names and SLA clocks", async () => {
    const late = await raise("Plain", { urgency: 3, impact: 3 });
    const soon = await raise("Urgent", {
      impact: 1,
      urgency: 1,
      callerId: member.userId,
      teamId: team,
    });
    const { body: problem } = await agent("POST /api/v1/itsm/problems", { title: "Why" });
    const { body: change } = await agent("POST /api/v1/itsm/changes", { title: "How" });
    const running = await seen(soon.id, (ticket) => ticket.dueState === "running");
    expect(Date.parse(running.dueAt) - Date.parse(soon.createdAt)).toBe(4 * HOUR_MS);
    expect(running).toMatchObject({
      dueMetric: "resolution",
      dueReason: null,
      lastPublicComment: null,
    });
    const open = await list(agent, "view=open&expand=caller,team,assignee&count=exact");
    expect(numbers(open)).toEqual([
      soon.number,
      late.number,
      problem.data.number,
      change.data.number,
    ]);
    expect(open.pagination.total).toBe(4);
    expect(open.data[0]).toMatchObject({
      kind: "incident",
      caller: { id: member.userId, name: "Somebody" },
      team: { id: team, name: "Network" },
      assignee: null,
    });
    expect(numbers(await list(agent, "kinds=problem,change&sort=number"))).toEqual([
      change.data.number,
      problem.data.number,
    ]);
    // All pages contain the same tickets, also across those without a deadline.
    const walked: string[] = [];
    for (let after = ""; after !== undefined;) {
      const page: any = await list(agent, `view=open&limit=1${after && `&after=${after}`}`);
      walked.push(...numbers(page));
      after = page.pagination.nextCursor ?? undefined;
    }
    expect(walked).toEqual(numbers(open));

    await agent(`PATCH /api/v1/itsm/incidents/${soon.id}`, {
      state: "on_hold",
      onHoldReason: "Waits for the vendor",
    });
    const paused = await seen(soon.id, (ticket) => ticket.dueState === "paused");
    expect(paused).toMatchObject({ dueAt: null, dueReason: "Waits for the vendor" });
    await agent(`PATCH /api/v1/itsm/incidents/${soon.id}`, { state: "in_progress" });
    world.clock.advance(5 * HOUR_MS);
    const breached = await seen(soon.id, (ticket) => ticket.dueState === "breached");
    expect(Date.parse(breached.dueAt)).toBeLessThan(world.clock.nowMs());
    expect(numbers(await list(agent, "view=breached"))).toEqual([soon.number]);
    const { body: counts } = await agent(`GET ${VIEWS}/counts`);
    expect(counts.data.views.find(({ id }: any) => id === "open")).toEqual({
      id: "open",
      open: 4,
      dueSoon: 0,
      breached: 1,
    });
    await agent(`POST /api/v1/itsm/incidents/${soon.id}/resolve`, { resolution: "Done" });
    expect(await seen(soon.id, (ticket) => ticket.dueState === null)).toMatchObject({
      isOpen: false,
      dueAt: null,
    });
  });

  test("shows the last comment, but no internal comments", async () => {
    const { id } = await raise("Talk", { callerId: viewer.userId });
    await agent(`POST /api/v1/itsm/incidents/${id}/comments`, { body: "Hush", internal: true });
    const lastOf = async () => (await viewer(`GET ${TICKETS}/${id}`)).body.data.lastPublicComment;
    expect(await lastOf()).toBeNull();
    await agent(`POST /api/v1/itsm/incidents/${id}/comments`, { body: "Turn it off and on." });
    expect(await lastOf()).toMatchObject({ by: agent.userId, isCaller: false });
    expect(numbers(await list(agent, "q=hush"))).toHaveLength(1);
    expect(numbers(await list(viewer, "q=hush"))).toEqual([]);
    expect(numbers(await list(viewer, "q=turn"))).toHaveLength(1);
  });

  test("contains tickets of one workspace that the member can read", async () => {
    const { id } = await raise("Ours");
    expect((await list(stranger, "view=open")).data).toEqual([]);
    expect(await stranger(`GET ${TICKETS}/${id}`)).toMatchObject({ status: 404 });
    expect(
      (await list(member, "limit=100")).data.every(({ kind }: any) => kind === "request"),
    ).toBe(true);
    expect(await member(`GET ${TICKETS}/${id}`)).toMatchObject({ status: 404 });
  });

  test("the unassigned view shows tickets without an assignee of all teams, with the same count", async () => {
    const { body: far } = await owner("POST /api/v1/itsm/teams", { name: "Far away" });
    const teamless = await raise("Of no team");
    const ours = await raise("Of the network team", { teamId: team });
    const theirs = await raise("Of another team", { teamId: far.data.id });
    const taken = await raise("Taken", { assigneeId: agent.userId });
    for (const by of [owner, agent]) {
      const unassigned = await list(by, "view=unassigned&limit=100&count=exact");
      const ids = unassigned.data.map(({ id }: any) => id);
      expect(ids).toEqual(expect.arrayContaining([teamless.id, ours.id, theirs.id]));
      expect(ids).not.toContain(taken.id);
      const { body } = await by(`GET ${VIEWS}/counts`);
      expect(body.data.views.find(({ id }: any) => id === "unassigned")).toMatchObject({
        open: unassigned.pagination.total,
      });
    }
    // Agents only get tickets of their teams or without a team.
    const given: string[] = [];
    for (;;) {
      const { status, body } = await agent(`POST ${TICKETS}/take_next`, {});
      if (status === 409) break;
      given.push(body.data.id);
    }
    expect(given).toEqual(expect.arrayContaining([teamless.id, ours.id]));
    expect(given).not.toContain(theirs.id);
    const named = { view: "unassigned", teamId: far.data.id };
    const taking = await agent(`POST ${TICKETS}/take_next`, named);
    expect(taking).toMatchObject({ status: 200, body: { data: { id: theirs.id } } });
  });

  test("concurrent requests for the next ticket get different tickets", async () => {
    const waiting = await Promise.all(
      Array.from({ length: 6 }, (_, index) => raise(`Waits ${index}`, { teamId: team })),
    );
    const takers = Array.from({ length: 8 }, (_, index) => (index % 2 ? agent : colleague));
    const taken = await Promise.all(takers.map((by) => by(`POST ${TICKETS}/take_next`, {})));
    const got = taken.filter(({ status }) => status === 200);
    expect(new Set(got.map(({ body }) => body.data.id)).size).toBe(got.length);
    expect(got.map(({ events }) => events)).toEqual(
      got.map(() => ["incident.updated", "incident.assigned"]),
    );
    for (const { status, body } of taken.filter(({ status: one }) => one !== 200)) {
      expect([status, body.code]).toEqual([409, "queue_empty"]);
    }
    // Tickets skipped because of a lock are available to the next request.
    for (;;) {
      const { status, body } = await agent(`POST ${TICKETS}/take_next`, { view: "unassigned" });
      if (status === 409) break;
      got.push({ body } as any);
    }
    expect(got.map(({ body }) => body.data.id).toSorted()).toEqual(
      waiting.map(({ id }) => id).toSorted(),
    );
    expect(await viewer(`POST ${TICKETS}/take_next`, { view: "open" })).toMatchObject({
      status: 409,
      events: [],
    });
  });
});

describe("a saved view", () => {
  test("is private, shared with a team or with everyone, and its count depends on the reader", async () => {
    const { id } = await raise("A switch", { impact: 1, urgency: 1, teamId: team });
    const created = await agent(`POST ${VIEWS}`, {
      name: "Urgent",
      kinds: ["incident"],
      filter: { priority: 1, teamId: team },
      columns: ["number", "title", "dueAt"],
    });
    expect(created).toMatchObject({ status: 201, events: ["view.created"] });
    const view = created.body.data.id as string;
    expect((await list(agent, `view=${view}`)).data.map((one: any) => one.id)).toEqual([id]);
    expect(await colleague(`GET ${VIEWS}/${view}`)).toMatchObject({ status: 404 });
    expect(await colleague(`GET ${TICKETS}?view=${view}`)).toMatchObject({ status: 404 });
    expect(await agent(`PATCH ${VIEWS}/${view}`, { sharedWith: "everyone" })).toMatchObject({
      status: 403,
      events: [],
    });
    const shared = { sharedWith: "team", teamId: team };
    expect(await agent(`PATCH ${VIEWS}/${view}`, shared)).toMatchObject({
      status: 200,
      events: ["view.updated"],
    });
    expect((await colleague(`GET ${VIEWS}`)).body.data.map((one: any) => one.id)).toEqual([view]);
    expect((await viewer(`GET ${VIEWS}`)).body.data).toEqual([]);
    const { body } = await colleague(`GET ${VIEWS}/counts`);
    // The view shared with the team, followed by the team queue.
    expect(body.data.views.slice(-2)).toMatchObject([
      { id: view, open: 1 },
      { id: expect.stringMatching(/^tem_/), open: 8 },
    ]);
    expect(await colleague(`DELETE ${VIEWS}/${view}`)).toMatchObject({ status: 403, events: [] });
    expect(await stranger(`GET ${VIEWS}/${view}`)).toMatchObject({ status: 404 });
    expect(await agent(`DELETE ${VIEWS}/${view}`)).toMatchObject({
      status: 204,
      events: ["view.deleted"],
    });
  });

  test("accepts filters and sort orders of the queue", async () => {
    const save = async (more: object) =>
      (await agent(`POST ${VIEWS}`, { name: "Wrong", ...more })).status;
    expect(await save({ filter: { colour: "red" } })).toBe(422);
    expect(await save({ sort: "colour" })).toBe(422);
    expect(await save({ sharedWith: "team" })).toBe(422);
  });
});
