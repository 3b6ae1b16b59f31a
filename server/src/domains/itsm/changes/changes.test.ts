import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import {
  performAction,
  CHANGES,
  createChange,
  readEvents,
  createItem,
  type Member,
  createPeople,
  createSubmittedChange,
} from "./testing/changes.ts";

const world = await useWorld();
const {
  owner,
  requester,
  managers: [manager],
} = await createPeople(world);

test("a change is drafted, and the response contains all fields", async () => {
  const answer = await requester(`POST ${CHANGES}`, {
    title: "New disks",
    plannedStart: "2026-12-06T00:00:00+02:00",
    plannedEnd: "2026-12-06T02:00:00Z",
  });
  const { id, number, createdAt } = answer.body.data;
  expect(answer).toMatchObject({
    status: 201,
    events: ["change.created"],
    headers: { location: `${CHANGES}/${id}`, etag: '"1"' },
  });
  expect(number).toMatch(/^CHG\d{7}$/);
  expect(answer.body.data).toEqual({
    id,
    number,
    tags: [],
    fields: {},
    title: "New disks",
    description: "",
    state: "draft",
    type: "normal",
    templateId: null,
    impact: 3,
    justification: "",
    implementationPlan: "",
    rollbackPlan: "",
    testPlan: "",
    risk: { score: 5, level: "low", reasons: ["Low impact (+5)"] },
    plannedStart: "2026-12-05T22:00:00.000Z",
    plannedEnd: "2026-12-06T02:00:00.000Z",
    approval: { rule: "count", value: 1, approverIds: [] },
    approvalsRequired: 1,
    approvalsGiven: 0,
    assigneeId: null,
    teamId: null,
    ciIds: [],
    requestedBy: requester.userId,
    submittedAt: null,
    approvedAt: null,
    implementedAt: null,
    completedAt: null,
    rolledBackAt: null,
    rejectionReason: null,
    cancellationReason: null,
    implementationNotes: null,
    completionNotes: null,
    rollbackNotes: null,
    outcome: null,
    createdBy: requester.userId,
    createdAt,
    updatedAt: createdAt,
  });
  for (const ref of [id, number]) {
    expect((await requester(`GET ${CHANGES}/${ref}`)).body).toEqual(answer.body);
  }
  expect(await readEvents(world, id)).toEqual([
    { type: "change.created", number, data: answer.body.data },
  ]);
});

test("a normal change is completed, and can be rolled back afterwards", async () => {
  const { id } = await createChange(requester);
  const step = async (by: Member, action: string, body?: object) => {
    const answer = await performAction(by, id, action, body);
    return [answer.status, answer.body.data?.state, ...answer.events];
  };
  expect(await step(requester, "submit")).toEqual([200, "submitted", "change.submitted"]);
  expect(await step(manager, "approve", { comment: "Fine" })).toEqual([
    200,
    "approved",
    "change.approval_given",
    "change.approved",
  ]);
  expect(await step(requester, "implement", { notes: "In the data centre\nat night" })).toEqual([
    200,
    "implementing",
    "change.implementation_started",
  ]);
  expect(await step(requester, "complete", { notes: "All well" })).toEqual([
    200,
    "completed",
    "change.completed",
  ]);
  expect(await step(requester, "rollback", { notes: "Not\nso well" })).toEqual([
    200,
    "rolled_back",
    "change.rolled_back",
  ]);
  const { body } = await requester(`GET ${CHANGES}/${id}`);
  expect(body.data).toMatchObject({
    implementationNotes: "In the data centre\nat night",
    completionNotes: "All well",
    rollbackNotes: "Not\nso well",
    outcome: "rolled_back",
  });
  for (const time of ["submittedAt", "approvedAt", "implementedAt", "completedAt", "rolledBackAt"])
    expect(body.data[time]).toMatch(/^\d{4}-.*Z$/);
  const told = await readEvents(world, id);
  expect(told.map(({ data }) => data.state)).toEqual([
    "draft",
    "submitted",
    "submitted",
    "approved",
    "implementing",
    "completed",
    "rolled_back",
  ]);
  expect(told[2].data.vote).toEqual({
    userId: manager.userId,
    approverIds: [manager.userId],
    comment: "Fine",
  });
});

test("an invalid transition fails with the allowed actions, and changes nothing", async () => {
  const { id } = await createChange(requester);
  expect(await performAction(requester, id, "complete", {})).toMatchObject({
    status: 409,
    body: { code: "change_wrong_state", state: "draft", allowed: ["submit", "cancel"] },
    events: [],
  });
  expect(await performAction(requester, id, "cancel", { reason: "Moot" })).toMatchObject({
    status: 200,
    body: { data: { state: "cancelled", cancellationReason: "Moot", outcome: "cancelled" } },
    events: ["change.cancelled"],
  });
  expect(await performAction(requester, id, "cancel")).toMatchObject({
    status: 409,
    body: { allowed: [] },
  });
});

test("a rejected change is revised and submitted again, without its former votes", async () => {
  const { id } = await createSubmittedChange(requester, { approvalsRequired: 2 });
  await performAction(manager, id, "approve");
  expect(await performAction(owner, id, "reject", { reason: "No way back" })).toMatchObject({
    status: 200,
    body: { data: { state: "rejected", rejectionReason: "No way back", approvalsGiven: 1 } },
    events: ["change.rejected"],
  });
  const edited = await requester(`PATCH ${CHANGES}/${id}`, { rollbackPlan: "Put them back" });
  expect(edited).toMatchObject({ status: 200, events: ["change.updated"] });
  expect(await performAction(requester, id, "revise")).toMatchObject({
    body: { data: { state: "draft" } },
    events: ["change.revised"],
  });
  expect((await performAction(requester, id, "submit")).body.data).toMatchObject({
    state: "submitted",
    approvalsGiven: 0,
    rejectionReason: null,
  });
  const { body } = await requester(`GET ${CHANGES}/${id}/approvals`);
  expect(body.data).toMatchObject({ required: 2, given: 0, round: 2 });
  expect(body.data.votes.map((vote: any) => [vote.round, vote.decision, vote.comment])).toEqual([
    [1, "rejected", "No way back"],
    [1, "approved", ""],
  ]);
  expect(await performAction(manager, id, "approve")).toMatchObject({
    events: ["change.approval_given"],
  });
});

test("an update emits what differs, and nothing when nothing differs", async () => {
  const { id } = await createChange(requester, { impact: 2 });
  const answer = await requester(`PATCH ${CHANGES}/${id}`, { title: "Newer disks", impact: 1 });
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { title: "Newer disks", risk: { score: 30 } } },
    headers: { etag: '"2"' },
    events: ["change.updated"],
  });
  const [, updated] = await readEvents(world, id);
  expect(updated.data.changes.toSorted()).toEqual(["impact", "risk", "title"]);
  expect(updated.data.before.impact).toBe(2);
  const again = await requester(`PATCH ${CHANGES}/${id}`, { impact: 1 });
  expect(again).toMatchObject({ status: 200, headers: { etag: '"2"' }, events: [] });
  const stale = await requester(`PATCH ${CHANGES}/${id}`, { impact: 3 }, { "if-match": '"1"' });
  expect(stale).toMatchObject({ status: 412, events: [] });
});

test("after submission only the window and who works on it change, then only the latter", async () => {
  const { id } = await createSubmittedChange(requester);
  const patch = (body: object) => requester(`PATCH ${CHANGES}/${id}`, body);
  expect(await patch({ title: "Other" })).toMatchObject({
    status: 409,
    body: { code: "change_wrong_state", state: "submitted" },
    events: [],
  });
  const planned = { plannedStart: "2026-12-06T00:00:00Z", plannedEnd: "2026-12-06T02:00:00Z" };
  expect(await patch(planned)).toMatchObject({ status: 200, events: ["change.updated"] });
  await performAction(manager, id, "approve");
  const narrowed = { plannedStart: "2026-12-06T01:00:00Z" };
  expect(await patch(narrowed)).toMatchObject({ status: 200, events: ["change.updated"] });
  await performAction(requester, id, "implement", { reason: "The vendor is early" });
  expect(await patch({ plannedEnd: null })).toMatchObject({ status: 409 });
  expect(await patch({ assigneeId: requester.userId })).toMatchObject({ status: 200 });
  await performAction(requester, id, "complete");
  expect(await patch({ assigneeId: null })).toMatchObject({ status: 409 });
});

test("invalid input is a field error with its path", async () => {
  const pathOf = async (body: object) => {
    const answer = await requester(`POST ${CHANGES}`, { title: "Disks", ...body });
    expect(answer).toMatchObject({ status: 422, events: [] });
    return answer.body.errors[0].path;
  };
  const nobody = "usr_01jd0000000000000000000000";
  const at = (hour: string) => `2026-12-06T${hour}:00:00Z`;
  expect(await pathOf({ plannedStart: at("02"), plannedEnd: at("02") })).toBe("/plannedEnd");
  expect(await pathOf({ plannedEnd: "9999-12-31T23:00:00-05:00" })).toBe("/plannedEnd");
  expect(await pathOf({ type: "standard" })).toBe("/templateId");
  expect(await pathOf({ templateId: "ctp_01jd0000000000000000000000" })).toBe("/templateId");
  expect(await pathOf({ assigneeId: nobody })).toBe("/assigneeId");
  expect(await pathOf({ teamId: "tem_01jd0000000000000000000000" })).toBe("/teamId");
  expect(await pathOf({ ciIds: ["ci_01jd0000000000000000000000"] })).toBe("/ciIds/0");
  const approver = (id: string) => ({ approval: { approverIds: [manager.userId, id] } });
  expect(await pathOf(approver(nobody))).toBe("/approval/approverIds/1");
  expect(await pathOf(approver(requester.userId))).toBe("/approval/approverIds/1");
  const agent = await world.member(["agent"]);
  expect(await pathOf(approver(agent.userId))).toBe("/approval/approverIds/1");
  expect(await pathOf({ approval: { rule: "all" } })).toBe("/approval/approverIds");
  const twice = { approval: { approverIds: [manager.userId] }, approvalsRequired: 2 };
  expect(await pathOf(twice)).toBe("/approvalsRequired");
  const untitled = await requester(`POST ${CHANGES}`, { description: "No title" });
  expect(untitled).toMatchObject({ status: 422, body: { errors: [{ path: "/title" }] } });
});

test("the risk depends on the items, their dependants, and the outcomes of earlier changes", async () => {
  const database = await createItem(owner, "Ledger", "database");
  const [one, other] = [await createItem(owner, "Billing"), await createItem(owner, "Reports")];
  for (const from of [one, other]) {
    const relationship = { from, to: database, type: "depends_on" };
    expect((await owner("POST /api/v1/cmdb/relationships", relationship)).status).toBe(201);
  }
  const first = await createSubmittedChange(requester, { ciIds: [database] });
  expect(first.risk.reasons).toEqual([
    "Low impact (+5)",
    "1 configuration item affected (+5)",
    "Other items depend on: database (+5)",
    "2 items directly dependent on those (+5)",
  ]);
  await performAction(manager, first.id, "approve");
  await performAction(requester, first.id, "implement");
  // A comment is optional.
  expect((await performAction(requester, first.id, "rollback")).body.data.rollbackNotes).toBeNull();
  const second = await createChange(requester, { ciIds: [database, one], impact: 1 });
  expect(second).toMatchObject({
    ciIds: [database, one].toSorted(),
    risk: {
      score: 70,
      level: "high",
      reasons: expect.arrayContaining([
        "1 item directly dependent on those (+5)",
        "1 of 1 earlier change of these items rolled back (+20)",
      ]),
    },
  });
});

test("the impact of an item includes open changes", async () => {
  const id = await createItem(owner, "Front");
  const open = await createSubmittedChange(requester, { title: "Open", ciIds: [id] });
  const ended = await createChange(requester, { title: "Ended", ciIds: [id] });
  await performAction(requester, ended.id, "cancel");
  const { body } = await owner(`GET /api/v1/cmdb/items/${id}/impact`);
  expect(body.data.item.changes.map((change: any) => change.id)).toEqual([open.id]);
});

test("the list is filtered by state, type, window and person, and sorted", async () => {
  const me = await world.member(["agent"]);
  const first = await createChange(me, { title: "Alpha", type: "emergency", impact: 1 });
  const second = await createChange(me, {
    title: "Beta",
    plannedStart: "2030-01-01T00:00:00Z",
    plannedEnd: "2030-01-02T00:00:00Z",
  });
  const third = await createChange(owner, { title: "Gamma", assigneeId: me.userId });
  await performAction(me, first.id, "submit");
  const ids = async (query: string) => {
    const { status, body } = await me(`GET ${CHANGES}?${query}`);
    expect(status).toBe(200);
    return body.data.map((change: any) => change.id);
  };
  expect(await ids("mine=true")).toEqual([third.id, second.id, first.id]);
  expect(await ids("mine=true&state=draft,approved")).toEqual([third.id, second.id]);
  expect(await ids("mine=true&type=emergency")).toEqual([first.id]);
  expect(await ids("from=2030-01-01T12:00:00Z&to=2030-02-01T00:00:00Z")).toEqual([second.id]);
  expect(await ids("from=2030-01-02T00:00:00Z")).toEqual([]);
  const filter = encodeURIComponent(
    JSON.stringify({ requestedBy: me.userId, riskScore: { gt: 20 } }),
  );
  expect(await ids(`filter=${filter}`)).toEqual([first.id]);
  const named = await createChange(me, { approval: { approverIds: [manager.userId] } });
  const approver = JSON.stringify({ approverIds: { contains: manager.userId } });
  expect(await ids(`mine=true&filter=${encodeURIComponent(approver)}`)).toEqual([named.id]);
  await performAction(me, named.id, "cancel");
  expect(await ids("mine=true&state=draft,submitted&sort=title")).toEqual([
    first.id,
    second.id,
    third.id,
  ]);
  expect(await ids("q=gAMM")).toEqual([third.id]);
  expect(await me(`GET ${CHANGES}?state=nonsense`)).toMatchObject({ status: 422 });
});
