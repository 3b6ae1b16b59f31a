import { expect, test } from "vitest";
import { readRows, toRowsTitle } from "./rows.ts";

test("the search parameters determine the listed tickets and their title", () => {
  const rows = readRows("created?category=vpn&priority=2");
  expect(rows).toEqual({ figure: "created", narrow: { category: "vpn", priority: "2" } });
  expect(toRowsTitle(rows, () => undefined)).toBe("Created, Vpn, P2");
  expect(toRowsTitle(readRows("open?minAgeDays=3&maxAgeDays=7"), () => undefined)).toBe(
    "Open, 3 to 7 days old",
  );
  expect(toRowsTitle(readRows("resolved?assigneeId=usr_1"), () => "Ada")).toBe("Resolved, Ada");
});
