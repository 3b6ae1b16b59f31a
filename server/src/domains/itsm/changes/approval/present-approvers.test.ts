import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  CHANGES,
  createPeople,
  createSubmittedChange,
  type Member,
  performAction,
  readEvents,
} from "../testing/changes.ts";

const world = await useWorld({ work: true });
const { owner, requester } = await createPeople(world);

/** Creates approvers that no other test uses. */
async function approvers(count: number): Promise<Member[]> {
  return Promise.all(Array.from({ length: count }, () => world.member(["change_manager"])));
}
const leave = ({ userId }: Member) =>
  owner(`PATCH /api/v1/settings/users/${userId}`, { status: "deactivated" });
const lose = ({ userId }: Member) =>
  owner(`DELETE /api/v1/settings/users/${userId}/roles/change_manager`);
const read = async (id: string) => (await owner(`GET ${CHANGES}/${id}`)).body.data;
const typesOf = async (id: string) => (await readEvents(world, id)).map(({ type }) => type);

async function waiting(people: readonly Member[], approval: object) {
  const approverIds = people.map(({ userId }) => userId);
  return createSubmittedChange(requester, { approval: { ...approval, approverIds } });
}

test.each([
  ["all", { rule: "all" }, leave],
  ["a share", { rule: "percentage", value: 100 }, leave],
  ["a number", { rule: "count", value: 3 }, lose],
] as const)(
  "a change is approved when the last approver of %s leaves or loses the right to vote",
  async (_, rule, depart) => {
    const [ada, bob, cy] = (await approvers(3)) as [Member, Member, Member];
    const { id, number } = await waiting([ada, bob, cy], rule);
    for (const one of [ada, bob]) await performAction(one, id, "approve");
    expect(await read(id)).toMatchObject({ state: "submitted", approvalsGiven: 2 });
    expect([200, 204]).toContain((await depart(cy)).status);
    await until(async () => (await read(id)).state === "approved");
    expect(await read(id)).toMatchObject({
      approvalsRequired: 2,
      approval: { approverIds: [ada.userId, bob.userId] },
    });
    expect((await typesOf(id)).slice(2)).toEqual([
      "change.approval_given",
      "change.approval_given",
      "change.approvers_removed",
      "change.approved",
    ]);
    await until(async () => {
      const { body } = await requester("GET /api/v1/notifications");
      const titles = body.data.map((one: any) => one.title);
      return titles.includes(`${number} was approved`);
    });
  },
);

test("remaining approvers still decide; without any, all change managers can", async () => {
  const [ada, bob, cy, dee] = (await approvers(4)) as [Member, Member, Member, Member];
  const some = await waiting([ada, bob], { rule: "all" });
  const none = await waiting([bob, cy], { rule: "all" });
  const handed = await waiting([dee], { rule: "all" });
  await performAction(dee, handed.id, "delegate", { toUserId: bob.userId });
  await leave(bob);
  await leave(cy);
  await until(async () => (await read(none.id)).approval.approverIds.length === 0);
  await until(async () => (await read(some.id)).approval.approverIds.length === 1);
  // A vote delegated to a member who left returns to its approver.
  const { events } = await performAction(dee, handed.id, "approve");
  expect(events).toEqual(["change.approval_given", "change.approved"]);
  expect(await performAction(dee, some.id, "approve")).toMatchObject({ status: 403, events: [] });
  for (const [member, { id }] of [
    [ada, some],
    [dee, none],
  ] as const) {
    const decided = await performAction(member, id, "approve");
    expect(decided).toMatchObject({
      status: 200,
      events: ["change.approval_given", "change.approved"],
    });
  }
});

test("an approver who left while the change was a draft is not required", async () => {
  const [ada, bob] = (await approvers(2)) as [Member, Member];
  const approval = { rule: "all", approverIds: [ada.userId, bob.userId] };
  const { body } = await requester(`POST ${CHANGES}`, { title: "Swap", approval });
  await leave(bob);
  const submitted = await performAction(requester, body.data.id, "submit");
  expect(submitted).toMatchObject({
    events: ["change.approvers_removed", "change.submitted"],
    body: { data: { approval: { approverIds: [ada.userId] }, approvalsRequired: 1 } },
  });
});

test("a catalog request continues without approvers who left", async () => {
  const [ada, bob] = (await approvers(2)) as [Member, Member];
  const approverIds = [ada.userId, bob.userId];
  const { body: item } = await owner("POST /api/v1/catalog/items", {
    name: "A desk lamp",
    form: { type: "object" },
    approval: { required: true, approverIds, rule: "all" },
  });
  const asked = async () => {
    const wish = { itemId: item.data.id, values: {} };
    return (await requester("POST /api/v1/catalog/requests", wish)).body.data.id as string;
  };
  const [agreed, open] = [await asked(), await asked()];
  await ada(`POST /api/v1/catalog/requests/${agreed}/approve`);
  await leave(bob);
  const stateOf = async (id: string) =>
    (await owner(`GET /api/v1/catalog/requests/${id}`)).body.data;
  await until(async () => (await stateOf(agreed)).state === "fulfilling");
  await leave(ada);
  await until(async () => (await stateOf(open)).approval.approverIds.length === 0);
  const decided = await owner(`POST /api/v1/catalog/requests/${open}/approve`);
  expect(decided).toMatchObject({
    status: 200,
    events: ["request.approved", "request.fulfilment_started"],
  });
});

test("a change moved to other hours or into a freeze needs new votes", async () => {
  const [ada] = (await approvers(1)) as [Member];
  const hours = (day: string, from = "10", to = "12") => ({
    plannedStart: `${day}T${from}:00:00Z`,
    plannedEnd: `${day}T${to}:00:00Z`,
  });
  const approval = { rule: "all", approverIds: [ada.userId] };
  const approved = async (more: object) => {
    const { id } = await createSubmittedChange(requester, { approval, ...more });
    expect((await performAction(ada, id, "approve")).body.data.state).toBe("approved");
    return id as string;
  };
  const move = (id: string, to: object) => requester(`PATCH ${CHANGES}/${id}`, to);
  const id = await approved(hours("2030-01-10"));
  // A part of the approved hours.
  expect(await move(id, hours("2030-01-10", "11", "12"))).toMatchObject({
    events: ["change.updated"],
    body: { data: { state: "approved" } },
  });
  const moved = await move(id, hours("2031-12-24"));
  expect(moved).toMatchObject({
    events: ["change.updated", "change.submitted"],
    body: { data: { state: "submitted", approvedAt: null, approvalsGiven: 0 } },
  });
  expect(await performAction(requester, id, "implement")).toMatchObject({
    status: 409,
    body: { allowed: ["approve", "reject", "cancel"] },
  });
  await until(async () => {
    const { body } = await ada("GET /api/v1/notifications");
    const asked = `${moved.body.data.number} waits for your approval`;
    return body.data.filter(({ title }: any) => title === asked).length === 2;
  });
  expect((await performAction(ada, id, "approve")).body.data.state).toBe("approved");
  // No hours were approved, so any hours are allowed, except in a freeze.
  const free = await approved({});
  await ada("POST /api/v1/itsm/blackout-windows", {
    name: "Freeze",
    start: "2032-12-20T00:00:00Z",
    end: "2033-01-04T00:00:00Z",
  });
  expect((await move(free, hours("2032-06-01"))).body.data.state).toBe("approved");
  const free2 = await approved({});
  expect((await move(free2, hours("2032-12-24"))).body.data.state).toBe("submitted");
});
