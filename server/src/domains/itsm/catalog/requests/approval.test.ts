import { expect, test } from "vitest";
import { newId } from "#kernel/schema/id.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);
const newMember = () => world.member(["member"]);
const [ann, ben, cy] = await Promise.all([newMember(), newMember(), newMember()]);

const REQUESTS = "/api/v1/catalog/requests";
const HOUR_MS = 3_600_000;
const people = (...asks: readonly { readonly userId: string }[]) =>
  asks.map(({ userId }) => ({ kind: "person", id: userId }));
const MANAGER = { kind: "manager" };
let count = 0;

async function newItem(approval: object) {
  count += 1;
  return owner("POST /api/v1/catalog/items", {
    name: `Laptop ${count}`,
    form: { type: "object", properties: { model: { type: "string", title: "Model" } } },
    approval: { required: true, approverIds: [], ...approval },
  });
}
async function askFor(approval: object, by: Ask = member, more: object = {}): Promise<any> {
  const { body } = await newItem(approval);
  const values = { model: "light" };
  return (await by(`POST ${REQUESTS}`, { itemId: body.data.id, values, ...more })).body.data;
}
const act = (by: Ask, id: string, action: string, body: object = {}) =>
  by(`POST ${REQUESTS}/${id}/${action}`, body);
const approve = (by: Ask, id: string) => act(by, id, "approve");
const waitingFor = async (by: Ask): Promise<string[]> =>
  (await by(`GET ${REQUESTS}?toApprove=true&limit=200`)).body.data.map(({ id }: any) => id);
const requestOf = async (id: string) => (await agent(`GET ${REQUESTS}/${id}`)).body.data;
const manage = (of: { readonly userId: string }, managerId: string | null) =>
  owner(`PATCH /api/v1/settings/users/${of.userId}`, { managerId });
const told = (by: Ask, id: string, title: RegExp) =>
  until(async () => {
    const { body } = await by("GET /api/v1/notifications?limit=200");
    return body.data.find((one: any) => one.resource?.id === id && title.test(one.title));
  });
const APPROVED = ["request.approved", "request.fulfilment_started"];

test("the manager approves first, then two of a team; each sees the answers and earlier decisions", async () => {
  const team = await owner("POST /api/v1/itsm/teams", {
    name: "Purchasing",
    memberIds: [ben.userId, cy.userId, member.userId],
  });
  await manage(member, ann.userId);
  const steps = [
    { name: "Manager", approvers: [MANAGER], rule: "any" },
    {
      name: "Purchasing",
      approvers: [{ kind: "team", id: team.body.data.id }],
      rule: "quorum",
      quorum: 2,
    },
  ];
  const made = await askFor({ steps });
  expect(made).toMatchObject({
    state: "awaiting_approval",
    approval: {
      required: true,
      approverIds: [ann.userId],
      askedIds: [ann.userId],
      steps: [
        { name: "Manager", state: "pending", approverIds: [ann.userId] },
        { name: "Purchasing", state: "waiting", approverIds: [], rule: "quorum", quorum: 2 },
      ],
    },
  });
  expect([await waitingFor(ann), await waitingFor(ben)]).toEqual([[made.id], []]);
  expect((await told(ann, made.id, /waits/)).body).toContain("Model: light");
  expect(await approve(ben, made.id)).toMatchObject({ status: 404, events: [] });
  const first = await act(ann, made.id, "approve", { comment: "He needs it" });
  expect(first).toMatchObject({
    status: 200,
    events: ["request.approval_requested"],
    body: { data: { state: "awaiting_approval", approval: { rule: "quorum" } } },
  });
  // The requester is a member of the team but does not approve.
  expect(first.body.data.approval.approverIds.toSorted()).toEqual(
    [ben.userId, cy.userId].toSorted(),
  );
  expect([await waitingFor(ann), await waitingFor(ben), await waitingFor(member)]).toEqual([
    [],
    [made.id],
    [],
  ]);
  expect((await told(ben, made.id, /waits/)).body).toMatch(/ approved: He needs it/);
  const seen = (await ben(`GET ${REQUESTS}/${made.id}/answers`)).body.data;
  expect(seen).toMatchObject({
    answers: [{ title: "Model", text: "light" }],
    approvalSteps: [
      {
        state: "approved",
        approvers: [{ kind: "manager", name: null }],
        people: [{ id: ann.userId }],
        decisions: [{ by: { id: ann.userId }, approved: true, comment: "He needs it" }],
      },
      { state: "pending", approvers: [{ kind: "team", name: "Purchasing" }], decisions: [] },
    ],
  });
  expect(await approve(ann, made.id)).toMatchObject({
    status: 403,
    body: { code: "not_a_request_approver" },
    events: [],
  });
  expect((await approve(ben, made.id)).events).toEqual(["request.updated"]);
  expect(await approve(ben, made.id)).toMatchObject({
    status: 409,
    body: { code: "request_already_decided" },
    events: [],
  });
  expect((await approve(cy, made.id)).events).toEqual(APPROVED);
  expect((await requestOf(made.id)).approval.decisions.map((one: any) => one.step)).toEqual([
    0, 1, 1,
  ]);
  // An approver of an earlier step can still read the request.
  expect((await ann(`GET ${REQUESTS}/${made.id}`)).status).toBe(200);
});

test("a rejection in a later step rejects the request, and earlier approvers see the reason", async () => {
  const steps = [{ approvers: people(ann) }, { approvers: people(ben) }, { approvers: people(cy) }];
  const made = await askFor({ steps });
  await approve(ann, made.id);
  const rejected = await act(ben, made.id, "reject", { reason: "No budget" });
  expect(rejected).toMatchObject({ status: 200, events: ["request.rejected"] });
  const { body } = await ann(`GET ${REQUESTS}/${made.id}`);
  expect(body.data).toMatchObject({ state: "rejected", reason: "No budget" });
  expect(body.data.approval.steps.map((one: any) => one.state)).toEqual([
    "approved",
    "rejected",
    "skipped",
  ]);
  expect((await cy(`GET ${REQUESTS}/${made.id}`)).status).toBe(404);
});

test("the nearest active manager who is not the requester approves", async () => {
  const [worker, boss, chief] = await Promise.all([newMember(), newMember(), newMember()]);
  await manage(worker, boss.userId);
  await manage(boss, chief.userId);
  const steps = [{ approvers: [MANAGER] }];
  const own = await askFor({ steps }, boss, { requestedFor: worker.userId });
  expect(own.approval.approverIds).toEqual([chief.userId]);
  const waiting = await askFor({ steps }, worker);
  expect(waiting.approval.approverIds).toEqual([boss.userId]);
  await owner(`PATCH /api/v1/settings/users/${boss.userId}`, { status: "deactivated" });
  await until(async () => (await waitingFor(chief)).includes(waiting.id));
  expect(await approve(chief, waiting.id)).toMatchObject({ status: 200, events: APPROVED });
  // Without a manager, members with `requests:work` decide.
  const alone = await askFor({ steps }, chief);
  expect(alone.approval).toMatchObject({ approverIds: [], steps: [{ state: "pending" }] });
  expect(await waitingFor(agent)).toContain(alone.id);
  expect(await approve(agent, alone.id)).toMatchObject({ status: 200, events: APPROVED });
});

test("a member with the role of a step can decide, but not after losing the role", async () => {
  const newcomer = await world.member(["member"]);
  const role = await owner("POST /api/v1/settings/roles", {
    name: "Licence officer",
    permissions: [],
  });
  const made = await askFor({ steps: [{ approvers: [{ kind: "role", id: role.body.data.id }] }] });
  expect(await waitingFor(newcomer)).toEqual([]);
  expect((await approve(newcomer, made.id)).status).toBe(404);
  const path = `/api/v1/settings/users/${newcomer.userId}/roles`;
  await owner(`POST ${path}`, { roleId: role.body.data.id });
  await until(async () => (await waitingFor(newcomer)).includes(made.id));
  await owner(`DELETE ${path}/${role.body.data.id}`);
  await until(async () => !(await waitingFor(newcomer)).includes(made.id));
  expect(await approve(newcomer, made.id)).toMatchObject({ events: [] });
  expect(await approve(agent, made.id)).toMatchObject({ status: 200, events: APPROVED });
});

test("a delegate decides during the delegation, and never on the delegate's requests", async () => {
  const [boss, deputy] = await Promise.all([newMember(), newMember()]);
  const made = await askFor({ approverIds: [boss.userId] });
  const own = await askFor({ approverIds: [boss.userId] }, deputy);
  const delegate = (fromMs: number, toMs: number) =>
    boss("PUT /api/v1/approvals/delegations", {
      toUserId: deputy.userId,
      from: new Date(world.clock.nowMs() + fromMs).toISOString(),
      to: new Date(world.clock.nowMs() + toMs).toISOString(),
    });
  expect(await approve(deputy, made.id)).toMatchObject({ status: 404, events: [] });
  expect(await delegate(-HOUR_MS, HOUR_MS)).toMatchObject({
    status: 200,
    events: ["change_delegation.set"],
  });
  expect(await waitingFor(deputy)).toEqual([made.id]);
  expect(await approve(deputy, own.id)).toMatchObject({
    status: 403,
    body: { code: "own_request" },
    events: [],
  });
  expect(await approve(deputy, made.id)).toMatchObject({
    status: 200,
    events: APPROVED,
    body: { data: { approval: { decisions: [{ insteadOf: [boss.userId] }] } } },
  });
  const later = await askFor({ approverIds: [boss.userId] });
  expect((await told(deputy, later.id, /waits/)).title).toContain(later.number);
  const { events } = await boss("DELETE /api/v1/approvals/delegations");
  expect(events).toEqual(["change_delegation.ended"]);
  expect(await approve(deputy, later.id)).toMatchObject({ status: 404, events: [] });
  const refused = await boss("PUT /api/v1/approvals/delegations", {
    toUserId: boss.userId,
    from: "2026-01-01T00:00:00Z",
    to: "2026-01-02T00:00:00Z",
  });
  expect(refused).toMatchObject({ status: 422, events: [] });
});

test("the manager of an absent approver can decide for the approver", async () => {
  const [boss, chief] = await Promise.all([newMember(), newMember()]);
  await manage(boss, chief.userId);
  const made = await askFor({ approverIds: [boss.userId] });
  expect(await waitingFor(chief)).toEqual([]);
  await boss("POST /api/v1/itsm/absences", {
    from: new Date(world.clock.nowMs() - HOUR_MS).toISOString(),
    until: new Date(world.clock.nowMs() + HOUR_MS).toISOString(),
  });
  expect(await waitingFor(chief)).toEqual([made.id]);
  expect(await approve(chief, made.id)).toMatchObject({ status: 200, events: APPROVED });
});

test("approvers are reminded on schedule, and by the requester at most once a day", async () => {
  const made = await askFor({ approverIds: [ann.userId], remindAfterHours: 30 });
  expect(await act(member, made.id, "remind")).toMatchObject({
    status: 409,
    body: { code: "approvers_reminded" },
    events: [],
  });
  expect(await act(ann, made.id, "remind")).toMatchObject({ status: 403, events: [] });
  expect(await act(cy, made.id, "remind")).toMatchObject({ status: 404, events: [] });
  await world.settled();
  world.clock.advance(25 * HOUR_MS);
  expect(await act(member, made.id, "remind")).toMatchObject({
    status: 200,
    events: ["request.approval_reminded"],
  });
  await told(ann, made.id, /still waits/);
  world.clock.advance(6 * HOUR_MS);
  await until(async () => {
    const moments = (await agent(`GET ${REQUESTS}/${made.id}/timeline`)).body.data;
    return moments.filter(({ type }: any) => type === "request.approval_reminded").length === 2;
  });
  await approve(ann, made.id);
  expect(await act(member, made.id, "remind")).toMatchObject({
    status: 409,
    body: { code: "request_wrong_state" },
  });
});

test("a request is rejected when its approval expires", async () => {
  const made = await askFor({ approverIds: [ann.userId], expiresAfterHours: 2 });
  const decided = await askFor({ approverIds: [ann.userId], expiresAfterHours: 2 });
  expect(Date.parse(made.approval.expiresAt) - Date.parse(made.createdAt)).toBe(2 * HOUR_MS);
  await approve(ann, decided.id);
  await world.settled();
  world.clock.advance(HOUR_MS);
  await world.settled();
  expect((await requestOf(made.id)).state).toBe("awaiting_approval");
  world.clock.advance(HOUR_MS + 1_000);
  const ended = await until(async () => {
    const found = await requestOf(made.id);
    return found.state !== "awaiting_approval" && found;
  });
  expect(ended).toMatchObject({ state: "rejected", reason: "It was not approved in time." });
  expect(await waitingFor(ann)).not.toContain(made.id);
  expect(await approve(ann, made.id)).toMatchObject({
    status: 409,
    body: { code: "request_wrong_state" },
    events: [],
  });
  expect((await requestOf(decided.id)).state).toBe("fulfilling");
});

test("exactly one of a concurrent decision and withdrawal takes effect", async () => {
  for (let round = 0; round < 5; round += 1) {
    const made = await askFor({ approverIds: [ann.userId], expiresAfterHours: 1 });
    const answers = await Promise.all([
      approve(ann, made.id),
      act(member, made.id, "cancel"),
      act(ann, made.id, "reject", { reason: "No" }),
    ]);
    const events = answers.flatMap((one) => one.events);
    const { state, approval } = await requestOf(made.id);
    const decisions = approval.decisions.length;
    // An approved request can be cancelled. A rejected or cancelled request cannot change.
    const ways: Record<string, readonly [string[], number]> = {
      rejected: [["request.rejected"], 1],
      cancelled: events.includes("request.approved")
        ? [[...APPROVED, "request.cancelled"], 1]
        : [["request.cancelled"], 0],
      fulfilling: [APPROVED, 1],
    };
    expect([events.toSorted(), decisions]).toEqual([ways[state]?.[0].toSorted(), ways[state]?.[1]]);
    expect(await waitingFor(ann)).not.toContain(made.id);
  }
});

test("a member of another workspace cannot decide, and steps name existing approvers", async () => {
  const made = await askFor({ approverIds: [ann.userId] });
  const elsewhere = await world.workspace(`approvals-${count}`);
  const stranger = await world.member(["owner"], elsewhere);
  expect(await approve(stranger, made.id)).toMatchObject({ status: 404, events: [] });
  expect(await waitingFor(stranger)).toEqual([]);
  const wrong = [
    { approvers: [{ kind: "person", id: newId("usr") }] },
    { approvers: [{ kind: "team", id: newId("tem") }] },
    { approvers: [{ kind: "role", id: "emperor" }] },
    { approvers: [MANAGER], rule: "quorum" },
    { approvers: [{ kind: "person", id: stranger.userId }] },
  ];
  const refused = await newItem({ steps: wrong });
  expect(refused).toMatchObject({ status: 422, events: [] });
  expect(refused.body.errors.map(({ path }: any) => path)).toEqual([
    "/approval/steps/0/approvers/0/id",
    "/approval/steps/1/approvers/0/id",
    "/approval/steps/2/approvers/0/id",
    "/approval/steps/4/approvers/0/id",
    "/approval/steps/3/quorum",
  ]);
  expect((await newItem({ steps: [{ approvers: [] }] })).status).toBe(422);
});
