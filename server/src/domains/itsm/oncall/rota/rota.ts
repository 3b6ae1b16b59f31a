/**
 * Computes who is on call (pure functions). A layer hands over at a local time, and its turns are counted in local
 * hours: a handover at nine stays at nine in weeks with clock changes. Later layers take precedence, and overrides
 * take precedence over all layers.
 */
import { DateTime, IANAZone } from "luxon";
import type { Steps } from "#kernel/work/turn-timer.ts";

export interface Layer {
  readonly name: string;
  readonly userIds: readonly string[];
  readonly turn: { readonly unit: "hour" | "day" | "week"; readonly count: number };
  /** The local day of the first turn, at the handover time. */
  readonly startsOn: string;
  readonly handOver: string;
  /** Limits the layer to these hours; all day by default. */
  readonly hours?: readonly LayerHours[];
}

export interface LayerHours {
  /** 1 is Monday. */
  readonly days: readonly number[];
  readonly from: string;
  /** On the next day if it is not later than `from`. */
  readonly to: string;
}

export interface Rota {
  readonly timeZone: string;
  readonly layers: readonly Layer[];
}

export interface Override {
  readonly id: string;
  readonly userId: string;
  readonly from: string;
  readonly until: string;
}

/** A time range with one member on call. */
export interface Shift {
  readonly userId: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The index of the layer; null for an override. */
  readonly layer: number | null;
  readonly overrideId: string | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The maximum distance from a moment to the ends of its shift. */
export const AROUND_MS = 40 * DAY_MS;
const HOURS = { hour: 1, day: 24, week: 168 } as const;

/** The planned shifts, including complete turns by layer. */
export interface RotaPlan {
  readonly shifts: readonly Shift[];
  readonly layers: readonly (readonly Shift[])[];
}

/** Plans a time range. Shifts are ordered and cut at its ends. Gaps have no shift. */
export function* planRota(
  rota: Rota,
  overrides: readonly Override[],
  fromMs: number,
  untilMs: number,
): Steps<RotaPlan> {
  const layers: (readonly Shift[])[] = [];
  for (const [index, layer] of rota.layers.entries()) {
    layers.push(yield* layerShifts(rota.timeZone, layer, index, [fromMs, untilMs]));
  }
  let above: readonly Shift[] = [];
  for (const one of overrides) {
    above = coverShifts(above, [toShift(one)]);
    yield;
  }
  let all: readonly Shift[] = [];
  for (const upper of [...layers, above]) {
    all = coverShifts(all, upper);
    yield;
  }
  const clip = (shifts: readonly Shift[]) =>
    mergeShifts(shifts.flatMap((shift) => clipShift(shift, fromMs, untilMs)));
  const shifts = clip(all);
  yield;
  return { shifts, layers: layers.map(clip) };
}

function toShift({ id, userId, from, until }: Override): Shift {
  return {
    userId,
    fromMs: Date.parse(from),
    untilMs: Date.parse(until),
    layer: null,
    overrideId: id,
  };
}

/**
 * Estimates the number of turns in a time range, including cuts by layer hours. Without overrides, there are at
 * most twice as many shifts.
 */
export function countTurns({ layers }: Rota, fromMs: number, untilMs: number): number {
  const spanMs = untilMs - fromMs;
  return layers.reduce((sum, { turn, hours = [] }) => {
    const turns = spanMs / (HOURS[turn.unit] * turn.count * HOUR_MS);
    const spans = hours.reduce((count, { days }) => count + days.length, 0);
    return sum + Math.ceil(turns + (spans * spanMs) / (HOURS.week * HOUR_MS));
  }, 0);
}

/** The shift at a moment. It can extend beyond `AROUND_MS` in both directions. */
export function* findShiftAt(
  rota: Rota,
  overrides: readonly Override[],
  atMs: number,
): Steps<Shift | undefined> {
  // Most shifts are short, so the range is enlarged only if a shift fills it.
  for (let aroundMs = DAY_MS; ; aroundMs = Math.min(AROUND_MS, 4 * aroundMs)) {
    const [startMs, endMs] = [atMs - aroundMs, atMs + aroundMs];
    const { shifts } = yield* planRota(rota, overrides, startMs, endMs);
    const shift = shifts.find(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
    const isWhole = !shift || (shift.fromMs > startMs && shift.untilMs < endMs);
    if (isWhole || aroundMs >= AROUND_MS) return shift;
  }
}

type Span = readonly [fromMs: number, untilMs: number];

/** A turn takes microseconds. The generator pauses after this many. */
const STEP_TURNS = 200;

function* layerShifts(
  timeZone: string,
  layer: Layer,
  index: number,
  [fromMs, untilMs]: Span,
): Steps<Shift[]> {
  const { userIds, turn } = layer;
  if (userIds.length === 0) return [];
  const startMs = Date.parse(`${layer.startsOn}T${layer.handOver}:00Z`);
  const lengthMs = HOURS[turn.unit] * turn.count * HOUR_MS;
  const first = Math.max(0, Math.floor((toWallMs(timeZone, fromMs) - startMs) / lengthMs) - 1);
  const hours = layer.hours?.length ? hourSpans(timeZone, layer.hours, [fromMs, untilMs]) : null;
  const shifts: Shift[] = [];
  let begins = toInstantMs(timeZone, startMs + first * lengthMs);
  for (let count = first; begins < untilMs; count += 1) {
    const ends = toInstantMs(timeZone, startMs + (count + 1) * lengthMs);
    const userId = userIds[count % userIds.length] ?? "";
    if (begins < ends) {
      shifts.push({ userId, fromMs: begins, untilMs: ends, layer: index, overrideId: null });
    }
    begins = ends;
    if (shifts.length % STEP_TURNS === 0) yield;
  }
  return hours ? limitToSpans(shifts, hours) : shifts;
}

/** The parts of shifts within spans. Both are ordered. */
function limitToSpans(shifts: readonly Shift[], spans: readonly Span[]): Shift[] {
  let first = 0;
  return shifts.flatMap((shift) => {
    while ((spans[first]?.[1] ?? Infinity) <= shift.fromMs) first += 1;
    const parts: Shift[] = [];
    for (let at = first; (spans[at]?.[0] ?? Infinity) < shift.untilMs; at += 1) {
      const [from, until] = spans[at] ?? [0, 0];
      parts.push(...clipShift(shift, from, until));
    }
    return parts;
  });
}

/** The instants of local hours around a time. */
function hourSpans(
  timeZone: string,
  hours: readonly LayerHours[],
  [fromMs, untilMs]: Span,
): readonly Span[] {
  const spans: Span[] = [];
  const lastDay = Math.floor(toWallMs(timeZone, untilMs) / DAY_MS);
  for (let day = Math.floor(toWallMs(timeZone, fromMs) / DAY_MS) - 1; day <= lastDay; day += 1) {
    const weekday = DateTime.fromMillis(day * DAY_MS, { zone: "utc" }).weekday;
    for (const { days, from, to } of hours) {
      if (!days.includes(weekday)) continue;
      const [begins, ends] = [minutesOf(from), minutesOf(to)].map((minutes) => minutes * 60_000);
      const nextDayMs = (ends ?? 0) <= (begins ?? 0) ? DAY_MS : 0;
      spans.push([
        toInstantMs(timeZone, day * DAY_MS + (begins ?? 0)),
        toInstantMs(timeZone, day * DAY_MS + (ends ?? 0) + nextDayMs),
      ]);
    }
  }
  return spans.toSorted(([left], [right]) => left - right);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

/** The local time at an instant, as if it were UTC. */
function toWallMs(timeZone: string, ms: number): number {
  return ms + offsetMsAt(timeZone, ms);
}

/**
 * The instant of a local time. A skipped time is an hour later. Same result as Luxon but without its objects, because
 * a schedule needs thousands.
 */
function toInstantMs(timeZone: string, wallMs: number): number {
  const offsetMs = offsetMsAt(timeZone, wallMs);
  const nearOffsetMs = offsetMsAt(timeZone, wallMs - offsetMs);
  if (nearOffsetMs === offsetMs) return wallMs - offsetMs;
  const lastOffsetMs = offsetMsAt(timeZone, wallMs - nearOffsetMs);
  return wallMs - Math.min(nearOffsetMs, lastOffsetMs);
}

/**
 * Returns the zone offset. If both ends of a day have equal offsets, the day has one offset; calculating it for
 * every moment is slow.
 */
function offsetMsAt(timeZone: string, ms: number): number {
  const day = Math.floor(ms / DAY_MS);
  const offsetMs = dayOffsetMs(timeZone, day);
  return offsetMs === dayOffsetMs(timeZone, day + 1) ? offsetMs : readOffsetMs(timeZone, ms);
}

const OFFSETS_MAX = 10_000;
const ZONES_MAX = 50;
/** Offsets by zone and day. */
const zoneOffsets = new Map<string, Map<number, number>>();

function dayOffsetMs(timeZone: string, day: number): number {
  let offsets = zoneOffsets.get(timeZone);
  if (!offsets || offsets.size >= OFFSETS_MAX) {
    if (zoneOffsets.size >= ZONES_MAX) zoneOffsets.clear();
    zoneOffsets.set(timeZone, (offsets = new Map()));
  }
  const known = offsets.get(day);
  if (known !== undefined) return known;
  const offsetMs = readOffsetMs(timeZone, day * DAY_MS);
  offsets.set(day, offsetMs);
  return offsetMs;
}

function readOffsetMs(timeZone: string, ms: number): number {
  return IANAZone.create(timeZone).offset(ms) * 60_000;
}

/** Overlays ordered shifts with other shifts in one pass, because both can be thousands. */
function coverShifts(below: readonly Shift[], above: readonly Shift[]): readonly Shift[] {
  const ordered = above.toSorted((left, right) => left.fromMs - right.fromMs);
  let first = 0;
  const kept = below.flatMap((shift) => {
    while ((ordered[first]?.untilMs ?? Infinity) <= shift.fromMs) first += 1;
    const parts: Shift[] = [];
    let fromMs = shift.fromMs;
    for (let at = first; at < ordered.length; at += 1) {
      const cover = ordered[at];
      if (!cover || cover.fromMs >= shift.untilMs) break;
      if (cover.untilMs <= fromMs) continue;
      if (cover.fromMs > fromMs) parts.push({ ...shift, fromMs, untilMs: cover.fromMs });
      fromMs = Math.max(fromMs, cover.untilMs);
    }
    if (fromMs < shift.untilMs) parts.push({ ...shift, fromMs });
    return parts;
  });
  return [...kept, ...ordered].toSorted((left, right) => left.fromMs - right.fromMs);
}

function clipShift(shift: Shift, fromMs: number, untilMs: number): Shift[] {
  const begins = Math.max(shift.fromMs, fromMs);
  const ends = Math.min(shift.untilMs, untilMs);
  return begins < ends ? [{ ...shift, fromMs: begins, untilMs: ends }] : [];
}

/** Merges adjacent shifts with the same member and the same source. */
function mergeShifts(shifts: readonly Shift[]): readonly Shift[] {
  const merged: Shift[] = [];
  for (const shift of shifts) {
    const last = merged.at(-1);
    const goesOn =
      last?.userId === shift.userId &&
      last.layer === shift.layer &&
      last.overrideId === shift.overrideId &&
      last.untilMs === shift.fromMs;
    if (last && goesOn) merged.splice(-1, 1, { ...last, untilMs: shift.untilMs });
    else merged.push(shift);
  }
  return merged;
}
