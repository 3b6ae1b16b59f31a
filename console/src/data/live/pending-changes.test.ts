import { expect, test } from "vitest";
import type { Schemas } from "../api.ts";
import { isStaleAfter, type Reading } from "./stale.ts";
import { PendingChanges } from "./pending-changes.ts";

const event = (data: object, more: object = {}) =>
  ({
    type: "incident.updated",
    resource: { type: "incident", id: "inc_1", number: "INC0000001", displayName: null },
    correlationId: "cor_1",
    causationId: null,
    data,
    ...more,
  }) as unknown as Schemas["Event"];
const reading = (operation: string, id?: string): Reading => ({
  operation,
  params: id === undefined ? {} : { id },
  shows: () => false,
  otherNames: () => [],
});

test("considers all resource events, not only the latest", () => {
  const pending = new PendingChanges();
  pending.note(event({ changes: ["tags"], parentId: "inc_old" }));
  pending.note(event({ changes: ["title"], parentId: "inc_new" }));
  const changes = pending.take();
  expect([changes.length, pending.size]).toEqual([1, 0]);
  const isStale = (...read: Parameters<typeof reading>) =>
    changes.some((change) => isStaleAfter(change, reading(...read)));
  expect(isStale("tickets.list_tags")).toBe(true);
  expect(isStale("incidents.get", "inc_old")).toBe(true);
  expect(isStale("incidents.get", "inc_new")).toBe(true);
  expect(isStale("incidents.get", "inc_other")).toBe(false);
});

test("only changes before a command's response count as its own; with many changes, no details are kept", () => {
  const pending = new PendingChanges();
  const correlationOf = (more: object) => {
    pending.note(event({}, more));
    return pending.take().map(({ correlation }) => correlation);
  };
  expect(correlationOf({})).toEqual(["cor_1"]);
  for (const more of [
    { causationId: "evt_1" },
    { jobId: "job_1", jobKind: "x" },
    { runId: "run_1" },
    { executionId: "exe_1" },
  ])
    expect(correlationOf(more)).toEqual([undefined]);

  for (let n = 0; n < 1_000; n += 1) pending.note(event({ changes: ["title"] }));
  expect(pending.size).toBe(2);
  for (let n = 0; n < 1_000; n += 1) {
    pending.note(event({}, { resource: { type: "incident", id: `inc_${n}`, number: null } }));
  }
  expect(pending.size).toBeLessThan(30);
  const changes = pending.take();
  const other = reading("incidents.get", "inc_999");
  expect(changes.some((change) => isStaleAfter(change, other))).toBe(true);
});
