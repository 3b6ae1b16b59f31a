import { expect, test } from "vitest";
import { type Approval, findGrounds, type Ground, keyOf, listInbox, nextWaiting } from "./inbox.ts";

const approval = (runId: string, expiresAt: string | null = null): Approval =>
  ({ runId, stepId: "ask", createdAt: `2026-11-16T12:00:0${runId}Z`, expiresAt }) as Approval;
const [one, two, three] = [approval("1"), approval("2", "2026-11-17T00:00:00Z"), approval("3")];
const seen = new Map([one, two, three].map((each) => [keyOf(each), each]));

test("approvals are sorted by due time, then newest first", () => {
  const items = listInbox([one, two, three], seen, new Map());
  expect(items.map(({ key }) => key)).toEqual(["2:ask", "3:ask", "1:ask"]);
});

test("an approval decided by another user stays visible, and stays pending if the quorum is not reached", () => {
  const decided = new Map([["3:ask", { by: "Mara", approved: true }]]);
  expect(listInbox([one], seen, decided)).toMatchObject([
    { key: "3:ask", decided: { by: "Mara" } },
    { key: "1:ask", decided: undefined },
  ]);
  expect(listInbox([one, three], seen, decided).every((item) => !item.decided)).toBe(true);
});

test("after a decision, the next pending approval is selected", () => {
  const decided = new Map([["3:ask", { by: "Mara", approved: true }]]);
  const items = listInbox([one, two], seen, decided);
  expect(nextWaiting(items, "2:ask")).toBe("1:ask");
  expect(nextWaiting(items, "1:ask")).toBe("2:ask");
  expect(nextWaiting(listInbox([one], seen, new Map()), "1:ask")).toBeUndefined();
});

test("the context contains the steps that ended last before the approval", () => {
  const ground = (id: string, second: number, more: Partial<Ground> = {}): Ground => ({
    id,
    name: id,
    type: "set",
    isDone: true,
    finishedAt: `2026-11-16T12:00:0${second}Z`,
    ...more,
  });
  const all = [
    ground("a", 1),
    ground("b", 2),
    ground("each", 3, { type: "loop" }),
    ground("other", 3, { isDone: false }),
    ground("late", 5),
  ];
  expect(findGrounds(all, "2026-11-16T12:00:04Z", 2).map(({ id }) => id)).toEqual(["b", "a"]);
});
