import { expect, test } from "vitest";
import { SettledUntil } from "./settled-until.ts";

const quiet = (xid: bigint) => ({ xmin: xid, xmax: xid });

test("while nothing is under way, all is known but what has just begun", () => {
  const horizon = new SettledUntil();
  expect(horizon.at(10_000, quiet(7n))).toBe(9_600);
  expect(horizon.at(11_000, quiet(7n))).toBe(10_600);
});

test("an act under way is waited for, and those that began after it are not", () => {
  const horizon = new SettledUntil();
  horizon.at(10_000, quiet(7n));
  expect(horizon.at(10_500, { xmin: 7n, xmax: 8n })).toBe(9_600);
  expect(horizon.at(11_000, { xmin: 7n, xmax: 9n })).toBe(9_600);
  // The one that was under way at 10,500 is over; another is not.
  expect(horizon.at(11_200, { xmin: 8n, xmax: 10n })).toBe(10_100);
  expect(horizon.at(11_300, { xmin: 10n, xmax: 11n })).toBe(10_800);
});

test("one that takes too long is waited for no longer, so that what is late is told in time", () => {
  const horizon = new SettledUntil();
  horizon.at(10_000, quiet(7n));
  expect(horizon.at(10_500, { xmin: 7n, xmax: 8n })).toBe(9_600);
  expect(horizon.at(20_000, { xmin: 7n, xmax: 9n })).toBe(17_500);
});
