import { expect, test } from "vitest";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { foldEvents, ticketKindOf } from "./clock-fold.ts";
import { compilePlans } from "./policy-targets.ts";
import { toPolicyFields, type PolicyInput } from "../policy.ts";
import { happened, ticket } from "../testing/ticket-events.ts";
import { nextDueAt, clockStateAt } from "./clock-state.ts";

const MINUTE_MS = 60_000;
const T0 = Date.parse("2026-06-01T10:00:00Z");
const at = (minutes: number): number => T0 + minutes * MINUTE_MS;

function planOf(metric: "response" | "resolution", more: Partial<PolicyInput> = {}) {
  const targets = [{ metric, minutes: 60 }];
  const [plan] = compilePlans(
    toPolicyFields({ name: "Any", entity: "incident", targets, pauseOn: ["on_hold"], ...more }),
  );
  if (!plan) throw new Error("There is a plan for each target.");
  return plan;
}

const created = (more: object = {}) =>
  happened("incident.created", at(0), ticket("new", { ...more }));
const updated = (minutes: number, state: string, more: object = {}) => {
  const after = ticket(state, { ...more });
  return happened("incident.updated", at(minutes), { before: after, after, changes: ["state"] });
};
const seenAt = (plan: ReturnType<typeof planOf>, events: RecordedEvent[], minutes: number) => {
  const clock = foldEvents(plan, events);
  if (!clock) throw new Error("There is no clock.");
  const { state, elapsedMs, dueAt, counting } = clockStateAt(plan, clock, at(minutes));
  return [state, elapsedMs / MINUTE_MS, dueAt === null ? null : (dueAt - T0) / MINUTE_MS, counting];
};
const changesOf = (plan: ReturnType<typeof planOf>, events: RecordedEvent[]) =>
  foldEvents(plan, events)?.timeline.map(({ change, elapsedMs, eventId }) => [
    change,
    elapsedMs / MINUTE_MS,
    events.findIndex(({ id }) => id === eventId),
  ]);

test("a resolution pauses the clock, which continues after a reopen without the time in between", () => {
  const plan = planOf("resolution");
  const events = [
    created(),
    updated(10, "on_hold"),
    updated(30, "in_progress"),
    happened("incident.resolved", at(40), ticket("resolved")),
    happened("incident.closed", at(50), ticket("closed")),
    happened("incident.reopened", at(100), ticket("in_progress")),
  ];
  expect(seenAt(plan, events.slice(0, 1), 5)).toEqual(["running", 5, 60, true]);
  expect(seenAt(plan, events.slice(0, 2), 25)).toEqual(["paused", 10, null, false]);
  expect(seenAt(plan, events.slice(0, 3), 35)).toEqual(["running", 15, 80, true]);
  expect(seenAt(plan, events.slice(0, 5), 90)).toEqual(["met", 20, null, false]);
  expect(seenAt(plan, events, 110)).toEqual(["running", 30, 140, true]);
  expect(seenAt(plan, events, 141)).toEqual(["breached", 61, 140, true]);
  expect(changesOf(plan, events)).toEqual([
    ["started", 0, 0],
    ["paused", 10, 1],
    ["resumed", 10, 2],
    ["stopped", 20, 3],
    ["restarted", 20, 5],
  ]);
});

test("work that ends exactly at the deadline is in time; later it stays breached", () => {
  const plan = planOf("resolution");
  const met = [created(), happened("incident.resolved", at(60), ticket("resolved"))];
  expect(seenAt(plan, met, 1_000)).toEqual(["met", 60, null, false]);
  const late = [created(), happened("incident.resolved", at(60) + 1, ticket("resolved"))];
  expect(seenAt(plan, late, 1_000).slice(0, 1)).toEqual(["breached"]);
  expect(foldEvents(plan, late)).toMatchObject({ breachedAt: at(60), stoppedAt: at(60) + 1 });
  expect(seenAt(plan, [created()], 60)).toEqual(["running", 60, 60, true]);
});

test("records the first public agent comment or the completion as the final response", () => {
  const plan = planOf("response");
  const comment = (minutes: number, internal: boolean, by: string, byAgent = true) =>
    happened("incident.comment_added", at(minutes), { internal, createdBy: by, byAgent }, { by });
  const assigned = happened("incident.assigned", at(3), ticket("new", { assigneeId: "usr_2" }));
  const idle = [
    created(),
    assigned,
    comment(4, true, "usr_2"),
    comment(5, false, "usr_creator"),
    comment(5, false, "usr_colleague", false),
    updated(5, "on_hold"),
    updated(6, "in_progress"),
    { ...comment(6, false, "wf_1"), actor: { id: "wf_1", name: "", type: "workflow" as const } },
    happened("incident.sla_warning", at(6), { internal: false, createdBy: "usr_2" }),
  ];
  // The caller got no response, and the minute on hold does not count.
  expect(seenAt(plan, idle, 10)).toEqual(["running", 9, 61, true]);
  const spoken = [
    ...idle,
    comment(20, false, "usr_2"),
    updated(30, "in_progress"),
    updated(40, "new"),
  ];
  expect(seenAt(plan, spoken, 50)).toEqual(["met", 19, null, false]);
  expect(seenAt(plan, [...idle, updated(25, "resolved")], 50)).toEqual(["met", 24, null, false]);
  // An agent creates the incident for a caller on the telephone, and then answers.
  const called = created({ callerId: "usr_caller" });
  const byCaller = comment(5, false, "usr_caller");
  expect(seenAt(plan, [called, byCaller], 10)[0]).toBe("running");
  const byCreator = comment(6, false, "usr_creator");
  expect(seenAt(plan, [called, byCaller, byCreator], 10)).toEqual(["met", 6, null, false]);
  // Deploying a workflow does not make the user a requester.
  const workflow = { id: "wf_1", name: "", type: "workflow" as const };
  const raised = { ...created({ callerId: null }), actor: workflow };
  expect(seenAt(plan, [raised, byCreator], 10)).toEqual(["met", 6, null, false]);
});

test("a state set by the creating transaction is not a response", () => {
  const plan = planOf("response", { entity: "request", pauseOn: [] });
  const asked = happened("request.created", at(0), ticket("submitted"));
  const waits = happened("request.approval_requested", at(0), ticket("awaiting_approval"));
  const inOne = { ...waits, transaction: asked.transaction };
  expect(seenAt(plan, [asked, inOne], 20)).toEqual(["running", 20, 60, true]);
  expect(seenAt(plan, [asked, waits], 20)).toEqual(["running", 20, 60, true]);
  const agreed = happened("request.fulfilment_started", at(15), ticket("fulfilling"));
  expect(seenAt(plan, [asked, inOne, agreed], 20)).toEqual(["met", 15, null, false]);
});

test("a cancelled ticket cancels its open clocks, but not results that were already met", () => {
  const cancelled = happened("incident.cancelled", at(20), ticket("cancelled"));
  for (const metric of ["response", "resolution"] as const) {
    const plan = planOf(metric);
    expect(seenAt(plan, [created(), cancelled], 500)).toEqual(["cancelled", 20, null, false]);
    const clock = foldEvents(plan, [created(), cancelled]);
    expect(clock && nextDueAt(plan, clock, { warnings: 0, breached: false })).toBeNull();
  }
  const answered = [created(), updated(10, "resolved"), updated(15, "in_progress"), cancelled];
  expect(seenAt(planOf("response"), answered, 500)).toEqual(["met", 10, null, false]);
});

test("a policy that matches later counts from the creation, and can stop and start matching", () => {
  const plan = planOf("resolution", { conditions: { "data.priority": { lte: 2 } } });
  const events = [
    created({ priority: 4 }),
    updated(10, "on_hold", { priority: 4 }),
    updated(20, "in_progress", { priority: 4 }),
    updated(30, "in_progress", { priority: 1 }),
    updated(40, "in_progress", { priority: 3 }),
    updated(90, "in_progress", { priority: 2 }),
  ];
  expect(foldEvents(plan, events.slice(0, 3))?.everMatched).toBe(false);
  expect(seenAt(plan, events.slice(0, 4), 35)).toEqual(["running", 25, 70, true]);
  expect(seenAt(plan, events.slice(0, 5), 900)).toEqual(["cancelled", 30, null, false]);
  const left = foldEvents(plan, events.slice(0, 5));
  expect(left && clockStateAt(plan, left, at(900))).toMatchObject({
    remainingMs: 30 * MINUTE_MS,
    warnedAt: null,
    breachedAt: null,
  });
  expect(seenAt(plan, events, 95)).toEqual(["breached", 85, 70, true]);
  expect(changesOf(plan, events)).toEqual([
    ["started", 0, 0],
    ["paused", 10, 1],
    ["resumed", 10, 2],
    ["policy_matched", 20, 3],
    ["policy_left", 30, 4],
    ["policy_matched", 80, 5],
  ]);
});

test("incremental folding equals complete folding", () => {
  const plan = planOf("resolution");
  const events = [
    created(),
    updated(10, "on_hold"),
    // Started on a node that wrote it later.
    updated(9, "in_progress"),
    updated(70, "in_progress"),
    happened("incident.resolved", at(90), ticket("resolved")),
  ];
  const stepwise = events.reduce(
    (clock, event) => foldEvents(plan, [event], clock),
    foldEvents(plan, []),
  );
  expect(stepwise).toEqual(foldEvents(plan, events));
  expect(stepwise).toMatchObject({ warnedAt: at(48), breachedAt: at(60) });
});

test("a published message with the type of a ticket event does not affect clocks", () => {
  const event = created();
  const message = { ...event, resource: { ...event.resource, type: "message" } };
  expect(ticketKindOf(event)).toBe("incident");
  expect(ticketKindOf(message)).toBeUndefined();
  expect(foldEvents(planOf("resolution"), [message])).toBeUndefined();
});
