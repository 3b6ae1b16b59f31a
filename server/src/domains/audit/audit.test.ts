import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const auditor = await world.member(["auditor"]);

const ask = (from: string) => auditor(`GET /api/v1/audit?from=${encodeURIComponent(from)}`);

test.each([
  "0000-01-01T00:00:00Z",
  "1899-12-31T23:59:59Z",
  "10000-01-01T00:00:00Z",
  "2026-01-01T00:00:00+23:59",
  "2026-01-01T00:00:00+14:01",
  "2026-02-31T00:00:00Z",
  "2026-02-29T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T23:59:60Z",
  `2026-01-01T00:00:00.${"0".repeat(200)}Z`,
  "2026-01-01T00:00:00",
  "2026-01-01",
  "infinity",
])("rejects the start time %s", async (from) => {
  const answer = await ask(from);
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: "?from" }] }, events: [] });
});

test.each([
  "1900-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "9999-12-31T23:59:59-14:00",
  "1900-01-01T00:00:00+14:00",
  "2028-02-29T12:00:00.123+05:45",
])("accepts the start time %s", async (from) => {
  expect(await ask(from)).toMatchObject({ status: 200 });
});
