import { expect, test } from "vitest";
import { startWorld, until } from "#kernel/testing/world.ts";
import {
  performAction,
  CHANGES,
  type Member,
  createPeople,
  createSubmittedChange,
} from "./testing/changes.ts";

test("notifies approvers of a vote and requesters of the decision, but does not notify the actor", async () => {
  await using world = await startWorld({ work: true });
  const {
    requester,
    managers: [ada, bob, cy],
  } = await createPeople(world);
  const titles = async (member: Member) =>
    (await member("GET /api/v1/notifications")).body.data.map((one: any) => one.title);
  const hears = (member: Member, ...expected: string[]) =>
    until(async () => (await titles(member)).join() === expected.join());
  const times = { from: "2020-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z" };
  await ada(`PUT ${CHANGES}/delegations`, { toUserId: cy.userId, ...times });
  const approval = { rule: "all", approverIds: [ada.userId] };
  const named = await createSubmittedChange(requester, { approval });
  const wanted = `${named.number} waits for your approval`;
  await hears(cy, wanted);
  await hears(ada, wanted);
  await performAction(ada, named.id, "delegate", { toUserId: bob.userId });
  await hears(bob, wanted);
  await performAction(bob, named.id, "approve");
  await hears(requester, `${named.number} was approved`);
  // Without named approvers, all change managers except the requester are notified.
  const open = await createSubmittedChange(bob);
  await hears(ada, `${open.number} waits for your approval`, wanted);
  await performAction(ada, open.id, "reject", { reason: "No" });
  await hears(bob, `${open.number} was rejected`, wanted);
  expect(await titles(cy)).toEqual([`${open.number} waits for your approval`, wanted]);
});
