import { expect, test } from "vitest";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

// Without workers, so that an expiry job runs late.
const world = await useWorld();
const owner = await world.member(["owner"]);
const member = await world.member(["member"]);
const newMember = (...roles: string[]) => world.member(roles.length > 0 ? roles : ["member"]);

const REQUESTS = "/api/v1/catalog/requests";
const HOUR_MS = 3_600_000;
const person = ({ userId }: { readonly userId: string }) => ({ kind: "person", id: userId });
let count = 0;

async function askFor(approval: object, by: Ask = member): Promise<any> {
  count += 1;
  const { body } = await owner("POST /api/v1/catalog/items", {
    name: `Laptop ${count}`,
    form: { type: "object", properties: {} },
    approval: { required: true, approverIds: [], ...approval },
  });
  if (body.errors) return body;
  return (await by(`POST ${REQUESTS}`, { itemId: body.data.id, values: {} })).body.data;
}
const act = (by: Ask, id: string, action: string, body: object = {}) =>
  by(`POST ${REQUESTS}/${id}/${action}`, body);
const waitingFor = async (by: Ask): Promise<string[]> =>
  (await by(`GET ${REQUESTS}?toApprove=true&limit=200`)).body.data.map(({ id }: any) => id);
/** Includes the time of the database, which the test clock is ahead of. */
const span = () => ({
  from: new Date(world.clock.nowMs() - 2 * HOUR_MS).toISOString(),
  until: new Date(world.clock.nowMs() + HOUR_MS).toISOString(),
});

test("an expired approval cannot be decided before the expiry job has run", async () => {
  const ann = await newMember();
  const made = await askFor({ approverIds: [ann.userId], expiresAfterHours: 1 });
  expect(await waitingFor(ann)).toEqual([made.id]);
  world.clock.advance(HOUR_MS);
  for (const [action, body] of [["approve", {}] as const, ["reject", { reason: "No" }] as const]) {
    expect(await act(ann, made.id, action, body)).toMatchObject({
      status: 409,
      body: { code: "approval_expired" },
      events: [],
    });
  }
  expect(await waitingFor(ann)).toEqual([]);
});

test("a repeated decision for one step does not decide the next step of the same approver", async () => {
  const [ann, ben] = await Promise.all([newMember(), newMember()]);
  const steps = [{ approvers: [person(ann)] }, { approvers: [person(ann), person(ben)] }];
  const made = await askFor({ steps });
  const approve = () => act(ann, made.id, "approve", { step: 0 });
  const answers = await Promise.all([approve(), approve()]);
  expect(answers.map(({ status, events }) => [status, events]).toSorted()).toEqual([
    [200, ["request.approval_requested"]],
    [409, []],
  ]);
  const again = await approve();
  expect(again).toMatchObject({ status: 409, body: { code: "approval_step_ended" }, events: [] });
});

test("a delegate reads what waits for the approver, not what the approver decided before", async () => {
  const [boss, deputy] = await Promise.all([newMember(), newMember()]);
  const [former, open] = [
    await askFor({ approverIds: [boss.userId] }),
    await askFor({ approverIds: [boss.userId] }),
  ];
  await act(boss, former.id, "approve");
  const { from, until: to } = span();
  await boss("PUT /api/v1/approvals/delegations", { toUserId: deputy.userId, from, to });
  const read = async (id: string) => (await deputy(`GET ${REQUESTS}/${id}`)).status;
  expect([await read(former.id), await read(open.id)]).toEqual([404, 200]);
  expect((await deputy(`GET ${REQUESTS}/${former.id}/answers`)).status).toBe(404);
  expect((await act(deputy, open.id, "approve")).status).toBe(200);
  expect(await read(open.id)).toBe(200);
});

test("a delegate of a delegate, and the requester as a delegate, cannot decide", async () => {
  const [boss, deputy, third] = await Promise.all([newMember(), newMember(), newMember()]);
  const made = await askFor({ approverIds: [boss.userId] }, third);
  const { from, until: to } = span();
  const delegate = (by: Ask, toUserId: string) =>
    by("PUT /api/v1/approvals/delegations", { toUserId, from, to });
  await delegate(boss, deputy.userId);
  await delegate(deputy, third.userId);
  expect(await act(third, made.id, "approve")).toMatchObject({
    status: 403,
    body: { code: "own_request" },
    events: [],
  });
  const other = await askFor({ approverIds: [boss.userId] });
  expect(await act(third, other.id, "approve")).toMatchObject({ status: 404, events: [] });
});

test("a manager can't become a delegate by recording a member's absence", async () => {
  const [boss, chief] = await Promise.all([newMember(), newMember("admin")]);
  await owner(`PATCH /api/v1/settings/users/${boss.userId}`, { managerId: chief.userId });
  const made = await askFor({ approverIds: [boss.userId] });
  const absence = { ...span(), userId: boss.userId };
  expect((await chief("POST /api/v1/itsm/absences", absence)).status).toBe(201);
  expect(await waitingFor(chief)).not.toContain(made.id);
  expect(await act(chief, made.id, "approve")).toMatchObject({
    status: 403,
    body: { code: "not_a_request_approver" },
    events: [],
  });
  expect((await boss("POST /api/v1/itsm/absences", span())).status).toBe(201);
  expect((await act(chief, made.id, "approve")).status).toBe(200);
});

test("an approver who left cannot decide, nor can the delegate of this approver", async () => {
  const [boss, deputy, other] = await Promise.all([newMember(), newMember(), newMember()]);
  const made = await askFor({ approverIds: [boss.userId, other.userId] });
  const { from, until: to } = span();
  await boss("PUT /api/v1/approvals/delegations", { toUserId: deputy.userId, from, to });
  expect(await waitingFor(deputy)).toEqual([made.id]);
  await owner(`PATCH /api/v1/settings/users/${boss.userId}`, { status: "deactivated" });
  // The list is updated by a job; the decision checks the approvers itself.
  expect(await act(deputy, made.id, "approve")).toMatchObject({ status: 403, events: [] });
  await until(async () => (await act(other, made.id, "approve")).status === 200);
});

test("a quorum is at most the number of named approvers", async () => {
  const [ann, ben] = await Promise.all([newMember(), newMember()]);
  const quorumOf = (approvers: object[]) =>
    askFor({ steps: [{ approvers, rule: "quorum", quorum: 3 }] });
  const { errors } = await quorumOf([person(ann), person(ben), person(ann)]);
  expect(errors).toEqual([
    expect.objectContaining({
      path: "/approval/steps/0/quorum",
      message: "must be at most the number of approvers",
    }),
  ]);
  const group = await quorumOf([person(ann), { kind: "role", id: "admin" }]);
  expect(group.state).toBe("awaiting_approval");
});
