import { describe, expect, test } from "vitest";
import { compileSubscriptionStart } from "./subscription-start.ts";

describe("the start of a subscription", () => {
  test.each<[string, number, number, boolean]>([
    ["10:10:", 1, 9, false],
    ["10:10:", 1, 10, true],
    ["10:15:12,13", 1, 9, false],
    ["10:15:12,13", 1, 11, false],
    ["10:15:12,13", 1, 12, true],
    ["10:15:12,13", 1, 14, false],
    ["10:15:12,13", 1, 15, true],
    ["10:15:12,13", 0, 20, false],
    ["10:15:12,13", 2, 1, true],
  ])("since %s an event of epoch %i, transaction %i: %s", (snapshot, epoch, xid, expected) => {
    const event = { id: "evt_2", position: { epoch, xid: 99, seq: 1 }, transaction: xid };
    expect(compileSubscriptionStart({ epoch: 1, snapshot })(event)).toBe(expected);
  });

  test("can be an event: earlier ones are excluded, in any transaction", () => {
    const hears = compileSubscriptionStart({ epoch: 1, snapshot: "1:1:", event: "evt_2" });
    const heard = ["evt_1", "evt_2", "evt_3"].filter((id) =>
      hears({ id, position: { epoch: 1, xid: 9, seq: 1 }, transaction: 9 }),
    );
    expect(heard).toEqual(["evt_2", "evt_3"]);
  });
});
