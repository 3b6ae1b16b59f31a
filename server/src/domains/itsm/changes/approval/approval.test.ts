import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Approval,
  applyApprovalInput,
  checkApproval,
  ONE_APPROVAL,
  requiredApprovals,
  votableSeats,
} from "./approval.ts";

const people = ["ada", "bob", "cy", "dee", "eve", "fay"];
const someone = fc.constantFrom(...people);
const approvers = fc.uniqueArray(someone, { minLength: 1 });
const approval: fc.Arbitrary<Approval> = fc.record({
  rule: fc.constantFrom("count", "all", "percentage"),
  value: fc.integer({ min: 1, max: 100 }),
  approverIds: fc.oneof(fc.constant<string[]>([]), approvers),
});
const nobodysProxies = { delegates: new Map<string, string>(), principals: new Set<string>() };

test("a valid approval has at least one possible approver", () => {
  fc.assert(
    fc.property(approval, fc.constantFrom("normal", "emergency"), (given, type) => {
      fc.pre(!checkApproval(given, "requester"));
      const required = requiredApprovals(type, given);
      expect(required).toBeGreaterThanOrEqual(1);
      if (given.approverIds.length > 0)
        expect(required).toBeLessThanOrEqual(given.approverIds.length);
      if (type === "emergency") expect(required).toBe(1);
    }),
  );
});

test("a percentage rounds up to the number of approvers", () => {
  fc.assert(
    fc.property(approvers, fc.integer({ min: 1, max: 100 }), (approverIds, value) => {
      const required = requiredApprovals("normal", { rule: "percentage", value, approverIds });
      const share = (count: number) => count * 100 >= approverIds.length * value;
      expect([share(required), share(required - 1)]).toEqual([true, false]);
    }),
  );
  const four = people.slice(0, 4);
  const percent = (value: number) =>
    requiredApprovals("normal", { rule: "percentage", value, approverIds: four });
  expect([1, 25, 26, 50, 75, 76, 100].map(percent)).toEqual([1, 1, 2, 2, 3, 4, 4]);
  expect(requiredApprovals("normal", { rule: "all", value: 100, approverIds: four })).toBe(4);
});

test("every seat has one holder, also after a delegation", () => {
  const handed = fc.dictionary(someone, someone);
  fc.assert(
    fc.property(approvers, handed, (approverIds, given) => {
      const delegates = new Map(Object.entries(given));
      const named = { ...ONE_APPROVAL, approverIds };
      const held = people.flatMap((voter) =>
        votableSeats(named, voter, { delegates, principals: new Set() }),
      );
      expect(held.toSorted()).toEqual(approverIds.toSorted());
    }),
  );
});

test("a delegate can vote for all seats of the principal, including delegated ones", () => {
  const named = { ...ONE_APPROVAL, approverIds: ["ada", "bob", "cy"] };
  const delegates = new Map([["ada", "bob"]]);
  const seats = (voter: string, principals: string[]) =>
    votableSeats(named, voter, { delegates, principals: new Set(principals) });
  expect(seats("eve", ["bob"])).toEqual(["ada", "bob"]);
  expect(seats("eve", ["ada"])).toEqual([]);
  expect(seats("cy", ["bob"])).toEqual(["ada", "bob", "cy"]);
});

test("without named approvers each change manager has one seat", () => {
  expect(
    votableSeats(ONE_APPROVAL, "ada", { ...nobodysProxies, principals: new Set(["bob"]) }),
  ).toEqual(["ada"]);
});

test("an approval without eligible approvers is a field error", () => {
  const pathOf = (given: Partial<Approval>) =>
    checkApproval({ ...ONE_APPROVAL, ...given }, "requester")?.path;
  expect(pathOf({})).toBeUndefined();
  expect(pathOf({ rule: "all" })).toBe("/approval/approverIds");
  expect(pathOf({ rule: "percentage", value: 50 })).toBe("/approval/approverIds");
  expect(pathOf({ value: 3, approverIds: ["ada", "bob"] })).toBe("/approval/value");
  expect(pathOf({ approverIds: ["ada", "requester"] })).toBe("/approval/approverIds/1");
});

test("a new rule starts with its default value, and an unchanged rule keeps its value", () => {
  const two: Approval = { rule: "count", value: 2, approverIds: ["ada", "bob"] };
  expect(applyApprovalInput(two, { approverIds: ["ada", "ada"] })).toEqual({
    ...two,
    approverIds: ["ada"],
  });
  expect(applyApprovalInput(two, { rule: "percentage" })).toEqual({
    ...two,
    rule: "percentage",
    value: 100,
  });
  expect(applyApprovalInput(two, { rule: "all", value: 3 })).toEqual({
    ...two,
    rule: "all",
    value: 100,
  });
  expect(applyApprovalInput({ ...two, rule: "all", value: 100 }, { rule: "count" })).toEqual({
    ...two,
    value: 1,
  });
});
