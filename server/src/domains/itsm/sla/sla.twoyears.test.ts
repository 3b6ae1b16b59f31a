/**
 * Compares two years of tickets with an independent computation: it reads the local time at the ends of each day, and
 * every quarter of an hour on days with a clock change, and adds up minutes.
 */
import { expect, test } from "vitest";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { foldEvents } from "./clocks/clock-fold.ts";
import { compilePlans } from "./clocks/policy-targets.ts";
import { toPolicyFields, type PolicyInput } from "./policy.ts";
import { happened, ticket } from "./testing/ticket-events.ts";
import { clockStateAt } from "./clocks/clock-state.ts";

const MINUTE_MS = 60_000;
const START = Date.parse("2025-01-01T00:00:00Z");
const DAY_MINUTES = 24 * 60;
const MINUTES = 2 * 365 * DAY_MINUTES;
const TICKETS = 400;

const CALENDARS = {
  "Europe/Berlin": {
    hours: [
      { days: [1, 2, 3, 4, 5], from: "08:00", to: "12:00" },
      { days: [1, 2, 3, 4, 5], from: "11:30", to: "17:30" },
      { days: [7], from: "01:15", to: "03:45" },
    ],
    holidays: ["2025-12-25", "2026-01-01", "2026-05-01"],
  },
  "America/New_York": {
    hours: [
      { days: [1, 2, 3, 4, 5, 6], from: "22:00", to: "24:00" },
      { days: [2, 3, 4, 5, 6, 7], from: "00:00", to: "02:30" },
    ],
    holidays: ["2025-07-04", "2026-07-04"],
  },
  "Australia/Lord_Howe": {
    hours: [{ days: [1, 3, 5, 7], from: "00:00", to: "24:00" }],
    holidays: ["2026-04-05"],
  },
} as const;

/** A deterministic generator of numbers, so that failures can be reproduced. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** For each minute since the start, the working minutes before it. */
function countMinutes(timezone: keyof typeof CALENDARS): Uint32Array {
  const { hours, holidays } = CALENDARS[timezone];
  const isWork = (shown: Date): boolean => {
    const [date = "", time = ""] = shown.toISOString().slice(0, 16).split("T");
    const number = shown.getUTCDay() || 7;
    if (holidays.some((one) => one === date)) return false;
    return hours.some(
      ({ days, from, to }) => days.some((one) => one === number) && from <= time && time < to,
    );
  };
  const before = new Uint32Array(MINUTES + 1);
  const askOffset = offsetsOf(timezone);
  for (let day = 0; day < MINUTES; day += DAY_MINUTES) {
    // Zones change clocks at most once per day. Checking every quarter of an hour would be slow.
    const begun = askOffset(day);
    const isEven = begun === askOffset(day + DAY_MINUTES);
    for (let quarter = day; quarter < day + DAY_MINUTES; quarter += 15) {
      // All working hours and clock changes in this test are at full quarters of an hour.
      const offset = isEven ? begun : askOffset(quarter);
      const work = isWork(new Date(atMinute(quarter) + offset));
      for (let minute = quarter; minute < quarter + 15; minute += 1) {
        before[minute + 1] = (before[minute] ?? 0) + (work ? 1 : 0);
      }
    }
  }
  return before;
}

/** The UTC offset of a zone at a minute, in milliseconds. */
function offsetsOf(timezone: string): (minute: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "short",
  });
  return (minute) => Date.parse(`${format.format(atMinute(minute))}Z`) - atMinute(minute);
}

interface Story {
  readonly events: RecordedEvent[];
  /** In minutes: the states of the ticket. */
  readonly states: { readonly from: number; readonly state: string }[];
  readonly until: number;
}

/** A ticket that changes states for some days or weeks. */
function story(roll: (sides: number) => number): Story {
  let minute = roll(MINUTES - 60 * 24 * 60);
  const states = [{ from: minute, state: "new" }];
  const events = [happened("incident.created", atMinute(minute), ticket("new"))];
  const steps = 1 + roll(8);
  for (let step = 0; step < steps; step += 1) {
    minute += 1 + roll(5 * 24 * 60);
    const state = ["in_progress", "on_hold", "in_progress", "resolved"][roll(4)] ?? "new";
    states.push({ from: minute, state });
    const after = ticket(state);
    events.push(
      happened("incident.updated", atMinute(minute), { before: after, after, changes: ["state"] }),
    );
  }
  return { events, states, until: minute + roll(10 * 24 * 60) };
}

const atMinute = (minute: number): number => START + minute * MINUTE_MS;

/** Counts minute by minute: the used time at the end, and the end of the minute in which the target was reached. */
function counted({ states, until }: Story, before: Uint32Array, targetMinutes: number) {
  let used = 0;
  let reached: number | undefined;
  for (const [index, { from, state }] of states.entries()) {
    const to = states[index + 1]?.from ?? until;
    if (state === "on_hold" || state === "resolved") continue;
    for (let minute = from; minute < to; minute += 1) {
      const work = (before[minute + 1] ?? 0) - (before[minute] ?? 0);
      if (work === 0) continue;
      used += 1;
      if (used === targetMinutes) reached = minute + 1;
    }
  }
  return { used, reached };
}

test.each(Object.keys(CALENDARS) as (keyof typeof CALENDARS)[])(
  "every ticket of two years in the time zone %s",
  (timezone) => {
    const before = countMinutes(timezone);
    const roll = dice(timezone.length);
    const plan = planOf(timezone);
    let late = 0;
    for (let count = 0; count < TICKETS; count += 1) {
      const one = story(roll);
      const targetMinutes = 1 + roll(4_000);
      const own = { ...plan, targetMs: targetMinutes * MINUTE_MS };
      const clock = foldEvents(own, one.events);
      if (!clock) throw new Error("There is no clock.");
      if (count % 4 === 0) {
        const stepwise = one.events.reduce(
          (so, event) => foldEvents(own, [event], so),
          foldEvents(own, []),
        );
        expect(stepwise).toEqual(clock);
      }
      const view = clockStateAt(own, clock, atMinute(one.until));
      const expected = counted(one, before, targetMinutes);
      expect(view.elapsedMs, JSON.stringify(one.states)).toBe(expected.used * MINUTE_MS);
      // A target reached in the very last minute is not breached yet.
      const breachedAt = expected.reached === undefined ? null : atMinute(expected.reached);
      const isLate = view.breachedAt !== null;
      if (isLate) late += 1;
      if (isLate) expect(view.breachedAt).toBe(breachedAt);
      else if (breachedAt !== null) expect(expected.used).toBe(targetMinutes);
    }
    expect(late).toBeGreaterThan(TICKETS / 10);
    expect(late).toBeLessThan(TICKETS);
  },
);

function planOf(timezone: keyof typeof CALENDARS) {
  const { hours, holidays } = CALENDARS[timezone];
  const policy: PolicyInput = {
    name: "Any",
    entity: "incident",
    targets: [{ metric: "resolution", minutes: 1 }],
    calendar: {
      timezone,
      hours: hours.map(({ days, ...times }) => ({ days: [...days], ...times })),
      holidays: [...holidays],
    },
    pauseOn: ["on_hold"],
  };
  const [plan] = compilePlans(toPolicyFields(policy));
  if (!plan) throw new Error("There is a plan for each target.");
  return plan;
}
