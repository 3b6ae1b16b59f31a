/**
 * The times of a cron expression in a time zone.
 *
 * The expression is matched against local times, as if they were UTC. The effect of clock changes is decided here, in
 * the same way for every expression:
 *
 * - An hourly schedule follows the local time: skipped hours are skipped, and repeated hours run twice.
 * - For other schedules a local time occurs once: at its first occurrence or, if it is skipped, at the clock change.
 *   Several times skipped by one clock change occur once.
 */
import { Cron } from "croner";
import { IANAZone } from "luxon";

export interface CronSchedule {
  readonly cron: string;
  readonly timezone?: string | undefined;
}

/** Finds the next time of a valid schedule. Returns null if there is none. */
export function nextCronTime(schedule: CronSchedule, after: Date): Date | null {
  return compileCronTimes(schedule)(after);
}

/** Compiles a valid schedule to a function that returns the first time after a moment. */
export function compileCronTimes({
  cron,
  timezone = "UTC",
}: CronSchedule): (after: Date) => Date | null {
  const clock = new WallClock(timezone);
  const parsed = parseCron(cron);
  const nextWall: NextWall = (wallMs) => parsed.nextRun(new Date(wallMs))?.getTime();
  const next = isHourly(cron) ? nextShownTime : nextUniqueTime;
  return (after) => {
    const timeMs = next(clock, nextWall, after.getTime());
    return timeMs === undefined ? null : new Date(timeMs);
  };
}

/** Parses an expression without starting a timer. Throws the library's error if invalid. */
export function parseCron(cron: string): Cron {
  return new Cron(normaliseCron(cron), {
    paused: true,
    mode: "5-or-6-parts",
    timezone: "UTC",
    // Allows `5/15` as a short form of `5-59/15`.
    sloppyRanges: true,
  });
}

/** Replaces `?` by `*`: it means any day, but the library reads it as the current time. */
export function normaliseCron(cron: string): string {
  const fields = cron.trim().split(/\s+/);
  const days = [fields.length - 3, fields.length - 1];
  return fields.map((field, at) => (field === "?" && days.includes(at) ? "*" : field)).join(" ");
}

type NextWall = (wallMs: number) => number | undefined;

/** For schedules whose local times occur once. */
function nextUniqueTime(clock: WallClock, nextWall: NextWall, afterMs: number): number | undefined {
  const wallNow = clock.wallAt(afterMs);
  // While local times repeat, the next ones have already been due.
  const { fold } = clock.resolve(wallNow);
  const isRepeated = fold !== undefined && afterMs >= fold.atMs;
  const wall = nextWall(isRepeated ? fold.fromWallMs - 1 : wallNow);
  return wall === undefined ? undefined : clock.resolve(wall).firstMs;
}

/** For hourly schedules. */
function nextShownTime(clock: WallClock, nextWall: NextWall, afterMs: number): number | undefined {
  const fold = clock.foldAfter(afterMs);
  const repeated = fold && nextWall(fold.toWallMs - 1);
  const again = fold && repeated !== undefined ? fold.atMs + repeated - fold.toWallMs : Infinity;
  let wall = nextWall(clock.wallAt(afterMs));
  while (wall !== undefined) {
    const { firstMs, lastMs, gap } = clock.resolve(wall);
    if (gap === undefined) return Math.min(again, firstMs > afterMs ? firstMs : lastMs);
    wall = nextWall(gap.toWallMs - 1);
  }
  return Number.isFinite(again) ? again : undefined;
}

/** A clock change, from one local time to another. */
interface ClockChange {
  readonly atMs: number;
  readonly fromWallMs: number;
  readonly toWallMs: number;
}

/** The moments of a local time. For a skipped time, the moment of the clock change. */
interface ResolvedWall {
  readonly firstMs: number;
  readonly lastMs: number;
  /** The clock change that skips the local time. */
  readonly gap?: ClockChange;
  /** The clock change that repeats the local time. */
  readonly fold?: ClockChange;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** More than any UTC offset, and less than the time between two clock changes. */
const AROUND_MS = 36 * HOUR_MS;
/** More than any backward clock change. */
const FOLD_MAX_MS = 4 * HOUR_MS;

/** The local time of a zone, in milliseconds as if it were UTC. */
class WallClock {
  readonly #zone: IANAZone;
  /** The last clock change that was found. */
  #known: ClockChange | undefined;

  constructor(timezone: string) {
    this.#zone = IANAZone.create(timezone);
  }

  wallAt(ms: number): number {
    return ms + this.#offsetAt(ms);
  }

  resolve(wallMs: number): ResolvedWall {
    const before = this.#offsetAt(wallMs - AROUND_MS);
    const after = this.#offsetAt(wallMs + AROUND_MS);
    if (before === after) return { firstMs: wallMs - before, lastMs: wallMs - before };
    const change = this.#changeBetween(wallMs - AROUND_MS, wallMs + AROUND_MS);
    const { atMs, fromWallMs, toWallMs } = change;
    if (wallMs >= fromWallMs && wallMs < toWallMs)
      return { firstMs: atMs, lastMs: atMs, gap: change };
    const isFold = wallMs >= toWallMs && wallMs < fromWallMs;
    if (isFold) return { firstMs: wallMs - before, lastMs: wallMs - after, fold: change };
    const ms = wallMs - (wallMs < fromWallMs ? before : after);
    return { firstMs: ms, lastMs: ms };
  }

  /** The next clock change, if it is soon and sets the clock back. */
  foldAfter(ms: number): ClockChange | undefined {
    if (this.#offsetAt(ms + FOLD_MAX_MS) >= this.#offsetAt(ms)) return undefined;
    return this.#changeBetween(ms, ms + FOLD_MAX_MS);
  }

  /** Finds the only clock change between two moments with different offsets. */
  #changeBetween(fromMs: number, toMs: number): ClockChange {
    if (this.#known && this.#known.atMs > fromMs && this.#known.atMs <= toMs) return this.#known;
    const before = this.#offsetAt(fromMs);
    let [low, high] = [fromMs, toMs];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    this.#known = { atMs: high, fromWallMs: high + before, toWallMs: this.wallAt(high) };
    return this.#known;
  }

  #offsetAt(ms: number): number {
    return this.#zone.offset(ms) * MINUTE_MS;
  }
}

const HOURS = 24;
const MIDNIGHT = new Date("2023-12-31T23:59:59.999Z");

/** True if the expression matches every hour of a day. Called for each time of each schedule. */
function isHourly(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  if (fields.length === 1) return cron.trim().toLowerCase() === "@hourly";
  const hour = fields.at(-4) ?? "";
  if (hour === "*" || /^\d+$/.test(hour)) return hour === "*";
  const named = parseCron(`0 ${hour} * * *`);
  for (let time = MIDNIGHT, hours = 0; hours < HOURS; hours += 1) {
    const expected = MIDNIGHT.getTime() + 1 + hours * HOUR_MS;
    const next = named.nextRun(time);
    if (next?.getTime() !== expected) return false;
    time = next;
  }
  return true;
}
