import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import {
  performAction,
  CHANGES,
  readEvents,
  type Member,
  createPeople,
  createSubmittedChange,
} from "../testing/changes.ts";

const HOUR_MS = 3_600_000;

const world = await useWorld();
const {
  owner,
  requester,
  managers: [ada, bob, cy],
} = await createPeople(world);

const VOTE = "change.approval_given";
const BOTH = [VOTE, "change.approved"];

async function outcome(by: Member, id: string) {
  const { status, body, events } = await performAction(by, id, "approve");
  return [status, body.code ?? body.data.state, ...events];
}

function named(rule: string, value: number, ...approvers: Member[]) {
  return { approval: { rule, value, approverIds: approvers.map(({ userId }) => userId) } };
}

test("a change needs the approvals required by its rule, each by another member", async () => {
  const { id } = await createSubmittedChange(requester, { approvalsRequired: 2 });
  expect(await outcome(ada, id)).toEqual([200, "submitted", VOTE]);
  expect(await outcome(ada, id)).toEqual([409, "change_already_voted"]);
  expect(await outcome(bob, id)).toEqual([200, "approved", ...BOTH]);
  expect(await outcome(cy, id)).toEqual([409, "change_wrong_state"]);
});

test("only named approvers decide: all approvers, or a percentage", async () => {
  const all = await createSubmittedChange(requester, named("all", 100, ada, bob));
  expect(all.approvalsRequired).toBe(2);
  expect(await outcome(cy, all.id)).toEqual([403, "change_not_approver"]);
  expect(await performAction(cy, all.id, "reject", { reason: "Mine too" })).toMatchObject({
    status: 403,
  });
  expect(await outcome(bob, all.id)).toEqual([200, "submitted", VOTE]);
  const { body } = await requester(`GET ${CHANGES}/${all.id}/approvals`);
  expect(body.data).toMatchObject({
    rule: "all",
    required: 2,
    given: 1,
    pending: [{ approverId: ada.userId, userId: ada.userId }],
    votes: [{ approverId: bob.userId, userId: bob.userId, decision: "approved", round: 1 }],
  });
  expect(await outcome(ada, all.id)).toEqual([200, "approved", ...BOTH]);
  const share = await createSubmittedChange(requester, named("percentage", 60, ada, bob, cy));
  expect(share.approvalsRequired).toBe(2);
  expect(await outcome(ada, share.id)).toEqual([200, "submitted", VOTE]);
  expect(await outcome(cy, share.id)).toEqual([200, "approved", ...BOTH]);
});

test("in an emergency one approval is enough", async () => {
  const more = { type: "emergency", ...named("all", 100, ada, bob) };
  const { id, approvalsRequired } = await createSubmittedChange(requester, more);
  expect(approvalsRequired).toBe(1);
  expect(await outcome(bob, id)).toEqual([200, "approved", ...BOTH]);
});

test("no member decides on their own change: not with a token, a delegated vote or a delegation", async () => {
  const { id } = await createSubmittedChange(ada);
  const own = { status: 403, body: { code: "change_own_approval" }, events: [] };
  expect(await performAction(ada, id, "approve")).toMatchObject(own);
  expect(await performAction(ada, id, "reject", { reason: "Changed my mind" })).toMatchObject(own);
  const scopes = ["changes:approve"];
  const made = await ada("POST /api/v1/auth/tokens", { name: "Mine", expiresIn: "1d", scopes });
  const token = world.asToken(made.body.data.token, "default");
  expect(await token(`POST ${CHANGES}/${id}/approve`, {})).toMatchObject(own);
  const other = await createSubmittedChange(ada, named("count", 1, bob));
  const handed = await performAction(bob, other.id, "delegate", { toUserId: ada.userId });
  expect(handed).toMatchObject({ status: 422, body: { errors: [{ path: "/toUserId" }] } });
  await standIn(bob, ada);
  expect(await performAction(ada, other.id, "approve")).toMatchObject(own);
  expect(await outcome(bob, other.id)).toEqual([200, "approved", ...BOTH]);
  await bob(`DELETE ${CHANGES}/delegations`);
});

test("a vote can be delegated repeatedly, and counts for its seat", async () => {
  const { id } = await createSubmittedChange(requester, named("all", 100, ada, bob));
  const hand = (from: Member, to: Member) =>
    performAction(from, id, "delegate", { toUserId: to.userId });
  expect(await hand(cy, ada)).toMatchObject({ status: 403, body: { code: "change_not_approver" } });
  expect(await hand(ada, ada)).toMatchObject({ status: 422 });
  expect(await hand(ada, requester)).toMatchObject({ status: 422 });
  const agent = await world.member(["agent"]);
  expect(await hand(ada, agent)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/toUserId" }] },
  });
  expect(await hand(ada, cy)).toMatchObject({ status: 200, events: ["change.delegated"] });
  expect(await outcome(ada, id)).toEqual([403, "change_not_approver"]);
  expect(await hand(cy, bob)).toMatchObject({ status: 200 });
  const told = (await readEvents(world, id)).at(-1);
  expect(told.data).toMatchObject({ fromUserId: cy.userId, toUserId: bob.userId, id });
  // Bob now holds two seats and votes for both.
  expect(await outcome(bob, id)).toEqual([200, "approved", ...BOTH]);
  const { body } = await owner(`GET ${CHANGES}/${id}/approvals`);
  const votes = body.data.votes.map((vote: any) => [vote.approverId, vote.userId]);
  expect(votes.toSorted()).toEqual(
    [
      [ada.userId, bob.userId],
      [bob.userId, bob.userId],
    ].toSorted(),
  );
  expect(await hand(bob, cy)).toMatchObject({ status: 409, body: { code: "change_wrong_state" } });
});

test("a cast vote cannot be delegated", async () => {
  const { id } = await createSubmittedChange(requester, named("all", 100, ada, bob));
  await performAction(ada, id, "approve");
  expect(await performAction(ada, id, "delegate", { toUserId: cy.userId })).toMatchObject({
    status: 409,
    body: { code: "change_already_voted" },
    events: [],
  });
});

test("a delegate votes during the delegation; the first vote counts", async () => {
  const { id } = await createSubmittedChange(requester, named("all", 100, ada, bob));
  const set = await standIn(ada, cy, { afterMs: HOUR_MS });
  expect(set).toMatchObject({ status: 200, events: ["change_delegation.set"] });
  expect(await outcome(cy, id)).toEqual([403, "change_not_approver"]);
  world.clock.advance(HOUR_MS + 1_000);
  expect((await cy(`GET ${CHANGES}/delegations`)).body.data).toMatchObject({
    given: null,
    received: [{ userId: ada.userId, toUserId: cy.userId }],
  });
  expect(await outcome(cy, id)).toEqual([200, "submitted", VOTE]);
  expect(await outcome(ada, id)).toEqual([409, "change_already_voted"]);
  world.clock.advance(24 * HOUR_MS);
  const later = await createSubmittedChange(requester, named("count", 1, ada));
  expect(await outcome(cy, later.id)).toEqual([403, "change_not_approver"]);
  expect(await ada(`DELETE ${CHANGES}/delegations`)).toMatchObject({
    status: 204,
    events: ["change_delegation.ended"],
  });
  expect(await ada(`DELETE ${CHANGES}/delegations`)).toMatchObject({ status: 404, events: [] });
});

test("a delegation is validated, and If-Match is enforced", async () => {
  const put = (body: object, headers = {}) =>
    ada(`PUT ${CHANGES}/delegations`, { toUserId: bob.userId, ...body }, headers);
  const [from, to] = ["2031-01-01T00:00:00Z", "2031-01-02T00:00:00Z"];
  expect(await put({ from: to, to: from })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/to" }] },
  });
  expect(await put({ from, to, toUserId: ada.userId })).toMatchObject({ status: 422 });
  expect(await put({ from, to, toUserId: requester.userId })).toMatchObject({ status: 422 });
  expect(await put({ from, to })).toMatchObject({ status: 200, headers: { etag: '"1"' } });
  expect(await put({ from, to }, { "if-match": '"0"' })).toMatchObject({ status: 412, events: [] });
  const again = await put({ from, to, toUserId: cy.userId }, { "if-match": '"1"' });
  expect(again).toMatchObject({ status: 200, body: { data: { toUserId: cy.userId } } });
  const staged = await ada(`GET ${CHANGES}/delegations`, undefined, { "x-environment": "staging" });
  expect(staged.body.data.given).toMatchObject({ toUserId: cy.userId });
});

test("the list filters changes that await the vote of the caller", async () => {
  const [dee, eve] = [
    await world.member(["change_manager"]),
    await world.member(["change_manager"]),
  ];
  const open = await createSubmittedChange(dee);
  const both = await createSubmittedChange(requester, named("all", 100, dee, ada));
  const other = await createSubmittedChange(requester, named("all", 100, ada));
  const waiting = async (member: Member) => {
    const { status, body } = await member(`GET ${CHANGES}?awaitingMe=true&limit=200`);
    expect(status).toBe(200);
    const ids = body.data.map((change: any) => change.id);
    return [open, both, other].map(({ id }) => ids.includes(id));
  };
  expect(await waiting(dee)).toEqual([false, true, false]);
  expect(await waiting(eve)).toEqual([true, false, false]);
  await standIn(dee, eve);
  expect(await waiting(eve)).toEqual([true, true, false]);
  await performAction(ada, other.id, "delegate", { toUserId: eve.userId });
  expect(await waiting(eve)).toEqual([true, true, true]);
  for (const { id } of [open, both, other])
    expect(await performAction(eve, id, "approve")).toMatchObject({ status: 200 });
  expect(await waiting(eve)).toEqual([false, false, false]);
  expect(await waiting(dee)).toEqual([false, false, false]);
});

test("two concurrent approvals count once each, and one approves the change", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await createSubmittedChange(requester, { approvalsRequired: 2 });
    const answers = await Promise.all([
      performAction(ada, id, "approve"),
      performAction(bob, id, "approve"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const events = (await readEvents(world, id)).map(({ type }) => type);
    expect(events.slice(2)).toEqual([VOTE, ...BOTH]);
    const { body } = await owner(`GET ${CHANGES}/${id}`);
    expect(body.data).toMatchObject({ state: "approved", approvalsGiven: 2 });
  }
});

test("concurrent identical votes count once", async () => {
  const { id } = await createSubmittedChange(requester, { approvalsRequired: 3 });
  const answers = await Promise.all([1, 2, 3].map(() => performAction(ada, id, "approve")));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  expect((await owner(`GET ${CHANGES}/${id}`)).body.data.approvalsGiven).toBe(1);
});

test("for a concurrent approval and rejection, the first decision succeeds and the second fails", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await createSubmittedChange(requester);
    const answers = await Promise.all([
      performAction(ada, id, "approve"),
      performAction(bob, id, "reject", { reason: "No" }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const events = (await readEvents(world, id)).slice(2).map(({ type }) => type);
    const isApproved = answers[0].status === 200;
    expect(events).toEqual(isApproved ? BOTH : ["change.rejected"]);
    const { body } = await owner(`GET ${CHANGES}/${id}`);
    expect(body.data.state).toBe(isApproved ? "approved" : "rejected");
  }
});

function standIn(of: Member, by: Member, { afterMs = 0 } = {}) {
  const from = new Date(world.clock.nowMs() + afterMs);
  const to = new Date(from.getTime() + 12 * HOUR_MS);
  return of(`PUT ${CHANGES}/delegations`, { toUserId: by.userId, from, to });
}

test("readers see whether their vote counts, and the reason if not", async () => {
  const viewer = await world.member(["viewer"]);
  const standing = async (by: Member, id: string) => {
    const { canVote, whyNot, isOpenToAll } = (await by(`GET ${CHANGES}/${id}/approvals`)).body.data;
    return [canVote, whyNot, isOpenToAll];
  };
  const open = await createSubmittedChange(ada, { approvalsRequired: 2 });
  expect(await standing(ada, open.id)).toEqual([false, "own_change", true]);
  expect(await standing(viewer, open.id)).toEqual([false, "not_permitted", true]);
  expect(await standing(bob, open.id)).toEqual([true, null, true]);
  await performAction(bob, open.id, "approve");
  expect(await standing(bob, open.id)).toEqual([false, "already_voted", true]);
  await performAction(cy, open.id, "approve");
  expect(await standing(cy, open.id)).toEqual([false, "not_submitted", true]);
  const few = await createSubmittedChange(requester, named("count", 1, bob));
  expect(await standing(cy, few.id)).toEqual([false, "not_approver", false]);
  expect(await standing(bob, few.id)).toEqual([true, null, false]);
});
