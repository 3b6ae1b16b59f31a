import { expect, test } from "vitest";
import { pathOf, ticketKindOf } from "./resource-path.ts";

test.each([
  ["workflow", "wf_1", undefined, "/workflows/wf_1"],
  ["run", "run_1", null, "/runs/run_1"],
  ["incident", "inc_1", "INC0000012", "/tickets/INC0000012"],
  ["request", "req_1", undefined, "/tickets/req_1"],
  ["webhook", "whk_1", null, "/webhooks/whk_1"],
  ["pack", "core", null, "/packs"],
  ["table", "tbl_1", "orders", "/tables/orders"],
  ["record", "rec_1", "orders", "/tables/orders/records/rec_1"],
  ["record", "rec_1", null, undefined],
  ["secret", "NAME", undefined, undefined],
])("the console path of %s %s", (type, id, number, path) =>
  expect(pathOf(type, id, number)).toBe(path),
);

test.each([
  ["INC0000012", "incidents"],
  ["chg_01jd", "changes"],
  ["REQ0000001", "requests"],
  ["nonsense", undefined],
])("%s is a reference to one of %s", (reference, kind) =>
  expect(ticketKindOf(reference)).toBe(kind),
);
