import { describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const [owner, agent, colleague, viewer, requester] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["agent"]),
  world.member(["viewer"]),
  world.member(["requester"]),
]);
const INCIDENTS = "/api/v1/itsm/incidents";
const BULK = "/api/v1/itsm/tickets/bulk";
const MACROS = "/api/v1/itsm/macros";

const raise = async (more: object = {}): Promise<any> =>
  (await agent(`POST ${INCIDENTS}`, { title: "A printer", callerId: agent.userId, ...more })).body
    .data;
const problem = async (): Promise<any> =>
  (await agent("POST /api/v1/itsm/problems", { title: "All printers" })).body.data;
const stateOf = async ({ id }: any) => (await agent(`GET ${INCIDENTS}/${id}`)).body.data.state;

test("a changed macro is compared with the current macro on tickets, and everything is rolled back", async () => {
  const made = await owner(`POST ${MACROS}`, {
    name: "Simulated",
    kinds: ["incident"],
    steps: [
      { act: "tag", add: ["printer"] },
      { act: "comment", body: "About {{ticket.number}}" },
    ],
  });
  const [open, held, cancelled] = [await raise(), await raise(), await raise()];
  await agent(`PATCH ${INCIDENTS}/${held.id}`, { state: "on_hold", onHoldReason: "Parts" });
  await agent(`POST ${INCIDENTS}/${cancelled.id}/cancel`);
  const before = await agent(`GET ${INCIDENTS}/${open.id}`);
  const simulate = (macro: object, more: object = {}, ask = agent) =>
    ask(`POST ${MACROS}/${made.body.data.id}/simulate`, { macro, ...more });
  const { steps } = made.body.data;
  const same = await simulate({ steps });
  expect(same).toMatchObject({ status: 200, events: [] });
  expect(same.body.data).toMatchObject({ tickets: 2, refused: 0, sameCount: 2, changed: [] });
  const answer = await simulate({ steps: [{ act: "resume" }, ...steps] });
  expect(answer).toMatchObject({ status: 200, events: [] });
  expect(answer.body.data).toMatchObject({ tickets: 2, refused: 0, sameCount: 0, changedCount: 2 });
  const differenceOf = ({ id }: any) =>
    answer.body.data.changed.find(({ ticketId }: any) => ticketId === id);
  expect(differenceOf(held)).toMatchObject({
    before: { changes: { tags: ["printer"] }, refusal: null },
    after: { changes: { tags: ["printer"], state: "in_progress" }, refusal: null },
  });
  expect(differenceOf(held).after.calls).toEqual([
    { verb: "update", body: { state: "in_progress" } },
    { verb: "update", body: { tags: ["printer"] } },
    { verb: "add_comment", body: { body: `About ${held.number}`, internal: false } },
  ]);
  const refused = await simulate({ steps: [...steps, { act: "reopen" }] });
  expect(refused.body.data).toMatchObject({ refused: 2, changedCount: 2 });
  expect(refused.body.data.changed[0].after).toMatchObject({
    changes: {},
    refusal: { step: 2, code: "incident_wrong_state" },
  });
  expect((await agent(`GET ${INCIDENTS}/${open.id}`)).body).toEqual(before.body);
  expect((await agent(`GET ${INCIDENTS}/${open.id}/comments`)).body.data).toEqual([]);
  const closed = await simulate({ steps: [{ act: "reopen" }] }, { open: false, limit: 1 });
  expect(closed.body.data.changed).toMatchObject([{ ticketId: cancelled.id }]);
  const wrong = await simulate({ steps: [{ act: "comment" }] });
  expect(wrong).toMatchObject({ status: 422, body: { errors: [{ path: "/macro/steps/0" }] } });
  expect((await simulate({ steps }, {}, requester)).status).toBe(403);
});

describe("a bulk change", () => {
  test("changes tickets of several kinds in one transaction, and returns the differences", async () => {
    const [one, other, third] = [await raise({ tags: ["Old"] }), await raise(), await problem()];
    const body = {
      ids: [one.id, other.id, third.id],
      acts: [
        { act: "tag", add: ["Storm"], remove: ["old"] },
        { act: "tag", add: ["north"] },
        { act: "set", set: { assigneeId: colleague.userId } },
      ],
    };
    const tried = await agent(`POST ${BULK}`, { ...body, dryRun: true });
    expect(tried).toMatchObject({ status: 200, events: [] });
    expect(tried.body.data).toMatchObject({ dryRun: true, changed: 3, refused: 0 });
    expect(tried.body.data.results.find(({ id }: any) => id === one.id)).toMatchObject({
      before: { tags: ["old"], assigneeId: null },
      after: { tags: ["north", "storm"], assigneeId: colleague.userId },
      changes: expect.arrayContaining(["tags", "assigneeId"]),
    });
    expect((await agent(`GET ${INCIDENTS}/${one.id}`)).body.data).toMatchObject({ tags: ["old"] });
    const done = await agent(`POST ${BULK}`, body);
    const incident = [
      "incident.updated",
      "incident.updated",
      "incident.updated",
      "incident.assigned",
    ];
    expect(done.events).toEqual([
      ...incident,
      ...incident,
      "problem.updated",
      "problem.updated",
      "problem.updated",
    ]);
    expect(done.body.data).toMatchObject({ dryRun: false, changed: 3 });
    const { body: tags } = await agent("GET /api/v1/itsm/tags?q=st");
    expect(tags.data.tags).toEqual([{ tag: "storm", uses: 3 }]);
    const { body: tagged } = await agent("GET /api/v1/itsm/tickets?tags=north,storm&sort=number");
    expect(tagged.data.map(({ id }: any) => id)).toEqual([one.id, other.id, third.id]);
  });

  test("merges, links and adds tickets to a major incident and emits events per ticket", async () => {
    const [stays, one, two] = [await raise(), await raise(), await raise()];
    const cause = await problem();
    const ids = [one.id, two.id];
    const act = (acts: object[], of: readonly string[] = ids) =>
      agent(`POST ${BULK}`, { ids: of, acts });
    const linked = await act([{ act: "link", type: "caused_by", ticketId: cause.number }]);
    expect(linked).toMatchObject({ status: 200, events: ["incident.linked", "incident.linked"] });
    const { body: caused } = await agent(`GET /api/v1/itsm/problems/${cause.id}/incidents`);
    expect(caused.data.map(({ id }: any) => id).toSorted()).toEqual(ids.toSorted());
    const again = await act([{ act: "link", type: "caused_by", ticketId: cause.id }]);
    expect(again).toMatchObject({ status: 409, events: [], body: { code: "acts_refused" } });

    const merged = await act([{ act: "merge", intoId: stays.number }], [one.id]);
    expect(merged.events).toEqual(["incident.merged", "incident.duplicate_added"]);
    // If the list contains the target itself, no ticket is merged.
    const self = await act([{ act: "merge", intoId: stays.id }], [two.id, stays.id]);
    expect(self).toMatchObject({ status: 409, events: [] });
    expect(self.body.refusals).toMatchObject([{ id: stays.id, status: 422 }]);
    expect(await stateOf(two)).toBe("new");

    const join = [{ act: "add_to_major", majorId: stays.id }];
    const early = await act(join, [two.id]);
    expect(early.body.refusals).toMatchObject([{ id: two.id, code: "incident_not_major" }]);
    await agent(`POST ${INCIDENTS}/${stays.id}/major`);
    expect((await act(join, [two.id])).events).toEqual(["incident.child_linked"]);
    const of = await act(join, [cause.id]);
    expect(of.body.refusals).toMatchObject([{ id: cause.id, code: "act_not_for_kind" }]);
    // A macro cannot reference another ticket.
    const macro = { name: "Merge", steps: [{ act: "merge", intoId: stays.id }] };
    expect(await owner("POST /api/v1/itsm/macros", macro)).toMatchObject({ status: 422 });
  });

  test("rejects the whole request and returns the reason per ticket", async () => {
    const [open, closed, other] = [await raise(), await raise(), await problem()];
    await agent(`POST ${INCIDENTS}/${closed.id}/cancel`);
    const foreign = "inc_01jzt3n5k8q2x4v6w8y0z2b4d6";
    const ids = [open.id, closed.id, other.id, foreign];
    const answer = await agent(`POST ${BULK}`, { ids, acts: [{ act: "hold", reason: "Parts" }] });
    expect(answer).toMatchObject({ status: 409, events: [], body: { code: "acts_refused" } });
    const codes = answer.body.refusals.map(({ id, code }: any) => [id, code]);
    expect(codes.toSorted()).toEqual(
      [
        [closed.id, "incident_wrong_state"],
        [other.id, "act_not_for_kind"],
        [foreign, "not_found"],
      ].toSorted(),
    );
    expect(await stateOf(open)).toBe("new");
    const tried = await agent(`POST ${BULK}`, { ids, acts: [{ act: "hold" }], dryRun: true });
    expect(tried.body.data).toMatchObject({ changed: 1, refused: 3 });
  });

  test("enforces a limit and requires the permissions of every action", async () => {
    const { id } = await raise();
    const ids = Array.from({ length: 1_001 }, () => id);
    expect(await agent(`POST ${BULK}`, { ids, acts: [{ act: "take" }] })).toMatchObject({
      status: 422,
    });
    await world.sql(
      `insert into incidents (id, workspace_id, environment, no, number, title, description, state, impact, urgency,
         priority, severity, category, created_by, created_at, updated_at)
       select 'inc_' || lpad(n::text, 26, '0'), $1, 'staging', n, 'INC' || lpad(n::text, 7, '0'), 'Many', '', 'new',
              3, 3, 5, 'low', '', 'usr_x', now(), now() from generate_series(1, 10000) n`,
      [world.home],
    );
    const staging = { "x-environment": "staging" };
    const all = { select: { view: "open" }, acts: [{ act: "tag", add: ["all"] }] };
    expect(await agent(`POST ${BULK}`, all, staging)).toMatchObject({
      status: 422,
      events: [],
      body: { code: "too_many_tickets" },
    });
    for (const nobody of [viewer, requester]) {
      expect(await nobody(`POST ${BULK}`, { ids: [id], acts: [{ act: "take" }] })).toMatchObject({
        status: 403,
        events: [],
      });
    }
    const many = Array.from({ length: 1_000 }, (_, n) => `inc_${String(n).padStart(26, "0")}`);
    const acts = ["a", "b", "c"].map((tag) => ({ act: "tag", add: [tag] }));
    expect(await agent(`POST ${BULK}`, { ids: many, acts })).toMatchObject({
      status: 422,
      events: [],
      body: { code: "too_many_acts", acts: 3_000 },
    });
    // A read scope allows no writes, also on own tickets.
    const { body: reading } = await owner("POST /api/v1/auth/tokens", {
      name: "Reads",
      expiresIn: null,
      scopes: ["incidents:read"],
    });
    const reader = world.asToken(reading.data.token, "default");
    expect(await reader(`GET ${INCIDENTS}/${id}`)).toMatchObject({ status: 200 });
    for (const [route, sent] of [
      [`POST ${INCIDENTS}`, { title: "Written" }],
      [`POST ${INCIDENTS}/${id}/comments`, { body: "Written" }],
      [`POST ${INCIDENTS}/${id}/watchers`, {}],
      [`POST ${INCIDENTS}/${id}/cancel`, {}],
    ] as const) {
      expect(await reader(route, sent), route).toMatchObject({ status: 403, events: [] });
    }
    // A token that can run macros but not resolve is rejected by the action.
    const { body } = await owner("POST /api/v1/auth/tokens", {
      name: "Bulk",
      expiresIn: null,
      scopes: ["macros:run", "incidents:read", "incidents:own", "incidents:write", "desk:read"],
    });
    const program = world.asToken(body.data.token, "default");
    const resolve = { ids: [id], acts: [{ act: "resolve", resolution: "Done" }] };
    const refused = await program(`POST ${BULK}`, resolve);
    expect(refused.body.refusals).toMatchObject([{ id, code: "forbidden", status: 403 }]);
    expect(await stateOf({ id })).toBe("new");
  });

  test("and a concurrent assignment of one of its tickets: both succeed in sequence", async () => {
    const tickets = await Promise.all(Array.from({ length: 5 }, () => raise()));
    const ids = tickets.map(({ id }) => id as string);
    const [bulk, ...taken] = await Promise.all([
      agent(`POST ${BULK}`, { ids, acts: [{ act: "take" }] }),
      ...ids.map((id) => colleague(`POST ${INCIDENTS}/${id}/take`)),
    ]);
    const owners = await Promise.all(
      ids.map(async (id) => (await agent(`GET ${INCIDENTS}/${id}`)).body.data.assigneeId),
    );
    const byColleague = taken.filter(({ status }) => status === 200).length;
    // The bulk change is atomic, so either all tickets or none are assigned to the agent.
    if (bulk?.status === 200)
      expect([byColleague, new Set(owners)]).toEqual([0, new Set([agent.userId])]);
    else expect([bulk?.status, byColleague]).toEqual([409, 5]);
  });
});

describe("a macro", () => {
  test("runs its steps in order with filled-in texts, or nothing if a step fails", async () => {
    const { body: module } = await agent("POST /api/v1/itsm/text-modules", {
      name: "Done",
      keyword: "done",
      body: "Dear {{caller.firstName}}, {{ticket.number}} is done. {{agent.name}}",
    });
    const wrong = { name: "Wrong", keyword: "wrong", body: "{{caller.salary}}" };
    expect(await agent("POST /api/v1/itsm/text-modules", wrong)).toMatchObject({ status: 422 });
    // Many consecutive spaces must not block the event loop.
    const wide = {
      name: "Wide",
      keyword: "wide",
      body: `{{ caller.name }}{{${" ".repeat(9_000)}x`,
    };
    expect(await agent("POST /api/v1/itsm/text-modules", wide)).toMatchObject({ status: 201 });
    const made = await agent(`POST ${MACROS}`, {
      name: "Finish",
      kinds: ["incident"],
      position: 1,
      steps: [
        { act: "take" },
        { act: "comment", textModuleId: module.data.id },
        { act: "resolve", resolution: "Turned it off and on", resolutionCode: "solved" },
      ],
    });
    expect(made).toMatchObject({ status: 201, events: ["macro.created"] });
    const run = `POST ${MACROS}/${made.body.data.id}/run`;
    const ticket = await raise();
    const render = `GET /api/v1/itsm/text-modules/${module.data.id}/render?ticketId=${ticket.number}`;
    const said = `Dear Somebody, ${ticket.number} is done. Somebody`;
    expect((await agent(render)).body.data.text).toBe(said);
    expect(await agent(run, { ids: [ticket.id], dryRun: true })).toMatchObject({
      status: 200,
      events: [],
      body: { data: { results: [{ after: { state: "resolved", assigneeId: agent.userId } }] } },
    });
    const done = await agent(run, { ids: [ticket.id] });
    expect(done.events).toEqual([
      "incident.updated",
      "incident.assigned",
      "incident.comment_added",
      "incident.resolved",
    ]);
    const { body: comments } = await agent(`GET ${INCIDENTS}/${ticket.id}/comments`);
    expect(comments.data.map(({ body }: any) => body)).toEqual([said]);
    const again = await agent(run, { ids: [ticket.id] });
    expect(again).toMatchObject({ status: 409, events: [] });
    expect(again.body.refusals).toMatchObject([{ step: 2, code: "incident_wrong_state" }]);
    expect((await agent(`GET ${INCIDENTS}/${ticket.id}/comments`)).body.data).toHaveLength(1);
    const other = await problem();
    expect(await agent(run, { ids: [other.id] })).toMatchObject({
      status: 409,
      body: { code: "act_not_for_kind" },
    });
  });

  test("that is deleted concurrently either runs or is not found", async () => {
    const { body } = await agent(`POST ${MACROS}`, { name: "Gone", steps: [{ act: "take" }] });
    const ticket = await raise();
    const [ran, deleted] = await Promise.all([
      agent(`POST ${MACROS}/${body.data.id}/run`, { ids: [ticket.id] }),
      agent(`DELETE ${MACROS}/${body.data.id}`),
    ]);
    expect(deleted.status).toBe(204);
    expect([200, 404]).toContain(ran.status);
    expect(ran.events).toEqual(ran.status === 200 ? ["incident.updated", "incident.assigned"] : []);
  });

  test("of a team is listed for its members and for desk managers", async () => {
    const { body: team } = await owner("POST /api/v1/itsm/teams", {
      name: "Printers",
      memberIds: [agent.userId],
    });
    await owner(`POST ${MACROS}`, { name: "Ours", teamId: team.data.id, steps: [{ act: "take" }] });
    const names = async (by: typeof agent) =>
      (await by(`GET ${MACROS}`)).body.data.map(({ name }: any) => name);
    expect(await names(agent)).toContain("Ours");
    expect(await names(owner)).toContain("Ours");
    expect(await names(colleague)).not.toContain("Ours");
  });
});
