import { expect, test } from "vitest";
import { SettledUntil } from "./settled-until.ts";

const quiet = (xid: bigint) => ({ xmin: xid, xmax: xid });

test("without open transactions everything is settled except the most recent instant", () => {
  const settledUntil = new SettledUntil();
  expect(settledUntil.update(10_000, quiet(7n))).toBe(9_600);
  expect(settledUntil.update(11_000, quiet(7n))).toBe(10_600);
});

test("the watermark waits for open transactions, but not for newer transactions", () => {
  const settledUntil = new SettledUntil();
  settledUntil.update(10_000, quiet(7n));
  expect(settledUntil.update(10_500, { xmin: 7n, xmax: 8n })).toBe(9_600);
  expect(settledUntil.update(11_000, { xmin: 7n, xmax: 9n })).toBe(9_600);
  // The transaction active at 10,500 has ended; another is still open.
  expect(settledUntil.update(11_200, { xmin: 8n, xmax: 10n })).toBe(10_100);
  expect(settledUntil.update(11_300, { xmin: 10n, xmax: 11n })).toBe(10_800);
});

test("the watermark does not wait for a transaction beyond the limit, so that breaches are announced in time", () => {
  const settledUntil = new SettledUntil();
  settledUntil.update(10_000, quiet(7n));
  expect(settledUntil.update(10_500, { xmin: 7n, xmax: 8n })).toBe(9_600);
  expect(settledUntil.update(20_000, { xmin: 7n, xmax: 9n })).toBe(17_500);
});
