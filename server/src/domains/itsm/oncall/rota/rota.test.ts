import { expect, test } from "vitest";
import { runAtOnce } from "#kernel/work/turn-timer.ts";
import { countTurns, findShiftAt, planRota, type Rota } from "./rota.ts";

const shiftsBetween = (...input: Parameters<typeof planRota>) =>
  runAtOnce(planRota(...input)).shifts;
const shiftAt = (...input: Parameters<typeof findShiftAt>) => runAtOnce(findShiftAt(...input));

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const at = (time: string) => Date.parse(time);
const weekly = {
  name: "First",
  userIds: ["ann", "ben", "cas"],
  turn: { unit: "week" as const, count: 1 },
  startsOn: "2026-01-05",
  handOver: "09:00",
};
const rota: Rota = { timeZone: "Europe/Berlin", layers: [weekly] };

/** A deterministic generator of random numbers. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
}

test("a handover keeps its local time across clock changes in both directions", () => {
  for (const [from, until] of [
    ["2026-03-20T00:00:00Z", "2026-04-10T00:00:00Z"],
    ["2026-10-16T00:00:00Z", "2026-11-06T00:00:00Z"],
  ] as const) {
    const shifts = shiftsBetween(rota, [], at(from), at(until));
    for (const { fromMs } of shifts.slice(1)) {
      const local = new Intl.DateTimeFormat("en-GB", {
        timeZone: rota.timeZone,
        weekday: "short",
        hour: "2-digit",
        minute: "2-digit",
      }).format(fromMs);
      expect(local).toBe("Mon 09:00");
    }
    // The week of a clock change is an hour shorter or longer.
    const lengths = shifts.slice(1, -1).map(({ fromMs, untilMs }) => (untilMs - fromMs) / HOUR_MS);
    expect(lengths.some((hours) => hours === 167 || hours === 169)).toBe(true);
  }
});

test("returns no member before the first turn and then rotates through all members", () => {
  expect(shiftAt(rota, [], at("2026-01-05T07:59:59Z"))).toBeUndefined();
  const people = [0, 1, 2, 3].map(
    (week) => shiftAt(rota, [], at("2026-01-05T08:00:00Z") + week * 7 * DAY_MS)?.userId,
  );
  expect(people).toEqual(["ann", "ben", "cas", "ann"]);
});

test("range and moment queries give the same result for random layers, hours and overrides", () => {
  const next = random(7);
  for (let round = 0; round < 12; round += 1) {
    const mixed: Rota = {
      timeZone: ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"][
        next(4)
      ] as string,
      layers: [
        { ...weekly, turn: { unit: "day", count: 1 + next(3) } },
        {
          ...weekly,
          name: "Nights",
          userIds: ["dan", "eva"],
          turn: { unit: "hour", count: [8, 12, 24][next(3)] as number },
          hours: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "20:00", to: "08:00" }],
        },
      ],
    };
    const startMs = at("2026-03-01T00:00:00Z") + next(300) * DAY_MS;
    const overrides = Array.from({ length: next(4) }, (_, index) => {
      const fromMs = startMs + next(14 * 24) * HOUR_MS;
      const until = new Date(fromMs + (1 + next(30)) * HOUR_MS).toISOString();
      return { id: `o${index}`, userId: "zoe", from: new Date(fromMs).toISOString(), until };
    });
    const shifts = shiftsBetween(mixed, overrides, startMs, startMs + 14 * DAY_MS);
    for (const [index, shift] of shifts.entries()) {
      expect(shift.fromMs).toBeLessThan(shift.untilMs);
      expect(shifts[index + 1]?.fromMs ?? Infinity).toBeGreaterThanOrEqual(shift.untilMs);
    }
    for (let probe = 0; probe < 10; probe += 1) {
      const moment = startMs + next(14 * 24 * 60) * 60_000;
      const found = shifts.find(({ fromMs, untilMs }) => fromMs <= moment && moment < untilMs);
      expect(shiftAt(mixed, overrides, moment)?.userId).toBe(found?.userId);
      const stands = overrides.findLast(
        ({ from, until }) => at(from) <= moment && moment < at(until),
      );
      if (stands) expect(found).toMatchObject({ userId: "zoe", layer: null });
    }
  }
});

test("thousands of turns of one member in several layers form one shift", () => {
  const hourly = { ...weekly, userIds: ["ann"], turn: { unit: "hour" as const, count: 1 } };
  const layers = Array.from({ length: 5 }, () => hourly);
  const [from, until] = [at("2026-03-01T00:00:00Z"), at("2026-06-01T00:00:00Z")];
  expect(shiftsBetween({ ...rota, layers }, [], from, until)).toEqual([
    { userId: "ann", fromMs: from, untilMs: until, layer: 4, overrideId: null },
  ]);
});

test("the number of turns is estimated before planning", () => {
  const hourly = { ...weekly, turn: { unit: "hour" as const, count: 1 } };
  const hours = [
    { days: [1, 2, 3, 4, 5, 6, 7], from: "08:00", to: "09:00" },
    { days: [1], from: "20:00", to: "21:00" },
  ];
  expect(countTurns({ ...rota, layers: [hourly, { ...weekly, hours }] }, 0, 14 * DAY_MS)).toBe(
    14 * 24 + 2 + 2 * 8,
  );
});
