import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { toPolicyFields, type PolicyInput } from "../policy.ts";
import { happened, ticket } from "../testing/ticket-events.ts";
import { type ClockPlan, foldEvents } from "./clock-fold.ts";
import { clockStateAt, countWarnings, nextDueAt } from "./clock-state.ts";
import { compilePlans } from "./policy-targets.ts";

const MINUTE_MS = 60_000;
const T0 = Date.parse("2026-06-01T10:00:00Z");
const at = (minutes: number): number => T0 + minutes * MINUTE_MS;

type Target = PolicyInput["targets"][number];

function planOf(target: Omit<Target, "minutes">, more: Partial<PolicyInput> = {}): ClockPlan {
  const targets = [{ minutes: 60, ...target }];
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
const comment = (minutes: number, by: string, more: object = {}) =>
  happened(
    "incident.comment_added",
    at(minutes),
    { internal: false, createdBy: by, byAgent: by !== "usr_creator", ...more },
    { by },
  );

function seenAt(plan: ClockPlan, events: readonly RecordedEvent[], minutes: number) {
  const clock = foldEvents(plan, events);
  if (!clock) throw new Error("There is no clock.");
  const { state, elapsedMs, dueAt } = clockStateAt(plan, clock, at(minutes));
  return [state, elapsedMs / MINUTE_MS, dueAt === null ? null : (dueAt - T0) / MINUTE_MS];
}
const changesOf = (plan: ClockPlan, events: readonly RecordedEvent[]) =>
  foldEvents(plan, events)?.timeline.map(({ change }) => change);

test("each comment of the caller starts a separate reply clock", () => {
  const plan = planOf({ metric: "next_reply" });
  const events = [
    created(),
    comment(5, "usr_creator"),
    comment(10, "usr_agent", { internal: true }),
    comment(20, "usr_agent"),
    // A further comment of an agent does not start a clock.
    comment(30, "usr_agent"),
    comment(100, "usr_creator"),
    comment(110, "usr_creator"),
    updated(120, "on_hold"),
    updated(150, "in_progress"),
    comment(250, "usr_agent"),
    comment(300, "usr_creator"),
    happened("incident.resolved", at(310), ticket("resolved")),
    comment(320, "usr_creator"),
    happened("incident.reopened", at(400), ticket("in_progress")),
  ];
  const seen = (count: number, minutes: number) => seenAt(plan, events.slice(0, count), minutes);
  expect(seen(3, 15)).toEqual(["running", 15, 60]);
  expect(seen(5, 90)).toEqual(["met", 20, null]);
  expect(seen(7, 115)).toEqual(["running", 15, 160]);
  expect(seen(8, 140)).toEqual(["paused", 20, null]);
  expect(seen(9, 200)).toEqual(["breached", 70, 190]);
  expect(seen(10, 260)).toEqual(["breached", 120, 190]);
  expect(seen(11, 305)).toEqual(["running", 5, 360]);
  expect(seen(13, 390)).toEqual(["met", 10, null]);
  expect(seen(14, 405)).toEqual(["running", 5, 460]);
  expect(foldEvents(plan, events)).toMatchObject({ round: 3, lateRounds: [at(190)] });
});

test("a target counted from the match measures the time in one team, and stays after a handover", () => {
  const plan = planOf({ metric: "custom", from: "match" }, { conditions: { teamId: "team_1" } });
  const events = [
    created({ teamId: "team_2" }),
    updated(100, "new", { teamId: "team_1" }),
    updated(110, "on_hold", { teamId: "team_1" }),
    updated(130, "in_progress", { teamId: "team_1" }),
    updated(150, "in_progress", { teamId: "team_2" }),
    updated(500, "in_progress", { teamId: "team_1" }),
    updated(540, "resolved", { teamId: "team_1" }),
  ];
  expect(foldEvents(plan, events.slice(0, 1))?.everMatched).toBe(false);
  expect(seenAt(plan, events.slice(0, 2), 105)).toEqual(["running", 5, 160]);
  expect(seenAt(plan, events.slice(0, 4), 140)).toEqual(["running", 20, 180]);
  expect(seenAt(plan, events.slice(0, 5), 300)).toEqual(["met", 30, null]);
  expect(seenAt(plan, events.slice(0, 6), 510)).toEqual(["running", 40, 530]);
  expect(seenAt(plan, events, 900)).toEqual(["breached", 70, 530]);
  expect(changesOf(plan, events)).toEqual([
    "started",
    "paused",
    "resumed",
    "stopped",
    "restarted",
    "stopped",
  ]);
});

test("conditions start, pause, reset and stop a clock", () => {
  const plan = planOf({
    metric: "custom",
    startWhen: { assigneeId: { exists: true } },
    pauseWhen: { waitsFor: "vendor" },
    stopWhen: { deployed: true },
    resetWhen: { reopened: true },
  });
  const who = { assigneeId: "usr_2" };
  const events = [
    created(),
    updated(30, "in_progress", who),
    updated(40, "in_progress", { ...who, waitsFor: "vendor" }),
    updated(70, "in_progress", who),
    updated(80, "in_progress", { ...who, deployed: true }),
    updated(90, "in_progress", { ...who, reopened: true }),
    updated(95, "in_progress", { ...who, reopened: true }),
    updated(99, "closed", who),
  ];
  expect(foldEvents(plan, events.slice(0, 1))).toMatchObject({ everMatched: false });
  expect(seenAt(plan, events.slice(0, 2), 35)).toEqual(["running", 5, 90]);
  expect(seenAt(plan, events.slice(0, 3), 60)).toEqual(["paused", 10, null]);
  expect(seenAt(plan, events.slice(0, 5), 85)).toEqual(["met", 20, null]);
  expect(seenAt(plan, events.slice(0, 7), 97)).toEqual(["running", 7, 150]);
  expect(seenAt(plan, events, 200)).toEqual(["met", 9, null]);
});

test("several warnings become due in order", () => {
  const plan = planOf({ metric: "resolution", warnAtPercent: [90, 50] });
  const clock = foldEvents(plan, [created(), updated(40, "on_hold")]);
  if (!clock) throw new Error("There is a clock.");
  const dueIn = (warnings: number, breached = false) => {
    const due = nextDueAt(plan, clock, { warnings, breached });
    return due === null ? null : (due - T0) / MINUTE_MS;
  };
  // The first passed before the pause, and the second is not reached during it.
  expect([dueIn(0), dueIn(1), dueIn(2)]).toEqual([30, null, null]);
  const resumed = foldEvents(plan, [updated(100, "in_progress")], clock);
  expect(resumed && nextDueAt(plan, resumed, { warnings: 1, breached: false })).toBe(at(114));
  expect([30, 31, 54, 55].map((minutes) => countWarnings(plan, minutes * MINUTE_MS))).toEqual([
    0, 1, 1, 2,
  ]);
});

/** The states of a ticket as flags, one per minute. */
const Life = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 40 }),
    what: fc.constantFrom("state", "asks", "answers", "says"),
    state: fc.constantFrom("new", "in_progress", "on_hold", "resolved"),
    team: fc.constantFrom("a", "b"),
    wait: fc.boolean(),
    again: fc.boolean(),
  }),
  { maxLength: 25 },
);

test.each<[string, Target, (minute: Minute) => Minute]>([
  ["resolution", { metric: "resolution", minutes: 60 }, (minute) => minute],
  ["next reply", { metric: "next_reply", minutes: 60 }, followReplies],
  [
    "rules",
    { metric: "custom", minutes: 60, pauseWhen: { wait: true }, resetWhen: { again: true } },
    followReset,
  ],
  ["hand-over", { metric: "custom", minutes: 60, from: "match" }, followTeam],
])("equals a count by minute: %s", (_, target, follow) => {
  const isTeam = target.from === "match";
  const plan = planOf(target, isTeam ? { conditions: { team: "a" } } : {});
  fc.assert(
    fc.property(Life, (life) => {
      let minutes = 0;
      let now = { state: "new", team: "b", wait: false, again: false };
      let model = follow(firstMinute(now));
      const events = [created(now)];
      for (const step of life) {
        for (let left = step.minutes; left > 0; left -= 1) model = passMinute(model);
        minutes += step.minutes;
        if (step.what === "state") {
          const { state, team, wait, again } = step;
          now = { state, team, wait, again };
          events.push(updated(minutes, state, now));
        } else if (step.what === "says") {
          events.push(comment(minutes, "usr_agent", { internal: true }));
        } else {
          events.push(comment(minutes, step.what === "asks" ? "usr_creator" : "usr_agent"));
        }
        model = follow({ ...model, before: model.now, now, what: step.what });
      }
      const clock = foldEvents(plan, events);
      expect(clock && [clock.elapsedMs / MINUTE_MS, clock.lateRounds.length]).toEqual([
        model.elapsed,
        model.late,
      ]);
      const stepwise = events.reduce(
        (sofar, event) => foldEvents(plan, [event], sofar),
        foldEvents(plan, []),
      );
      expect(stepwise).toEqual(clock);
    }),
  );
});

interface Flags {
  readonly state: string;
  readonly team: string;
  readonly wait: boolean;
  readonly again: boolean;
}
interface Minute {
  readonly now: Flags;
  readonly before: Flags;
  readonly what: string;
  readonly elapsed: number;
  readonly late: number;
  /** Whether a reply is expected. */
  readonly awaited: boolean;
  readonly counts: (minute: Minute) => boolean;
}

function firstMinute(now: Flags): Minute {
  return { now, before: now, what: "state", elapsed: 0, late: 0, awaited: true, counts: isOpen };
}

function passMinute(minute: Minute): Minute {
  return minute.counts(minute) ? { ...minute, elapsed: minute.elapsed + 1 } : minute;
}

function isOpen({ now }: Minute): boolean {
  return now.state !== "resolved" && now.state !== "on_hold";
}

function anew(minute: Minute): Minute {
  return { ...minute, elapsed: 0, late: minute.late + (minute.elapsed > 60 ? 1 : 0) };
}

function followReplies(minute: Minute): Minute {
  const counts = (one: Minute) => isOpen(one) && one.awaited;
  const { what, before, now, awaited } = minute;
  const next = { ...minute, counts };
  if (what === "answers") return { ...next, awaited: false };
  const isResolved = now.state === "resolved";
  if (what === "asks" && !awaited && !isResolved) return { ...anew(next), awaited: true };
  if (what !== "state") return next;
  if (isResolved) return { ...next, awaited: false };
  return before.state === "resolved" ? { ...anew(next), awaited: true } : next;
}

function followReset(minute: Minute): Minute {
  const counts = (one: Minute) => isOpen(one) && !one.now.wait;
  const begins = minute.what === "state" && minute.now.again && !minute.before.again;
  return { ...(begins ? anew(minute) : minute), counts };
}

function followTeam(minute: Minute): Minute {
  return { ...minute, counts: (one) => isOpen(one) && one.now.team === "a" };
}
