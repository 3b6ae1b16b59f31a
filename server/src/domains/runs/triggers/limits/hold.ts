/**
 * The events held by a trigger, as a state machine. Decisions depend only on the state and the time, and are written
 * in the same transaction.
 */
import type { HoldRule } from "#domains/workflows/index.ts";

/** Events held by a trigger for one key. */
export interface Hold {
  /** Event ids, oldest first. */
  readonly events: readonly string[];
  /** The number of events since the hold started. */
  readonly heard: number;
  readonly dropped: number;
  readonly sinceMs: number;
  /** The time of the next check. */
  readonly dueMs: number;
  /** For a rate limit: the time at which the limit is completely available again. */
  readonly clearMs: number;
}

/** Limit per key. Further events are dropped and counted. */
export const HELD_MAX = 10_000;

export function emptyHold(nowMs: number): Hold {
  return { events: [], heard: 0, dropped: 0, sinceMs: nowMs, dueMs: nowMs, clearMs: nowMs };
}

/** The hold after an event, and whether a run starts at once. */
export function addEvent(
  rule: HoldRule,
  before: Hold,
  eventId: string,
  nowMs: number,
): { readonly hold: Hold; readonly starts: boolean } {
  const hold = { ...before, heard: before.heard + 1 };
  const isFull = before.events.length >= HELD_MAX;
  const events = isFull ? before.events : [...before.events, eventId];
  const dropped = before.dropped + (isFull ? 1 : 0);
  switch (rule.kind) {
    case "debounce": {
      const { quietMs, maxMs = Number.POSITIVE_INFINITY, keep = "last" } = rule;
      const [first = eventId] = before.events;
      const dueMs = Math.min(nowMs + quietMs, before.sinceMs + maxMs);
      return {
        hold: { ...hold, events: [keep === "last" ? eventId : first], dueMs },
        starts: false,
      };
    }
    case "batch": {
      const dueMs = events.length >= rule.max ? nowMs : before.sinceMs + rule.maxMs;
      return { hold: { ...hold, events, dropped, dueMs }, starts: false };
    }
    case "rateLimit": {
      if (before.events.length === 0 && freeAtMs(rule, before) <= nowMs) {
        const clearMs = Math.max(before.clearMs, nowMs) + intervalMs(rule);
        return { hold: { ...hold, clearMs, dueMs: clearMs }, starts: true };
      }
      if (rule.over === "drop") {
        return { hold: { ...hold, dropped: before.dropped + 1 }, starts: false };
      }
      return { hold: { ...hold, events, dropped, dueMs: freeAtMs(rule, before) }, starts: false };
    }
  }
}

/** The events of each run that starts now, and the remaining hold; undefined if no events remain. */
export function releaseEvents(
  rule: HoldRule,
  hold: Hold,
  nowMs: number,
): { readonly runs: readonly (readonly string[])[]; readonly rest: Hold | undefined } {
  if (hold.dueMs > nowMs) return { runs: [], rest: hold };
  if (rule.kind === "debounce") return { runs: [hold.events], rest: undefined };
  if (rule.kind === "batch") {
    const runs: (readonly string[])[] = [];
    for (let start = 0; start < hold.events.length; start += rule.max) {
      runs.push(hold.events.slice(start, start + rule.max));
    }
    // Events after a full batch wait for more events, but not beyond the maximum wait of the first event.
    const lastMs = hold.sinceMs + rule.maxMs;
    const [last = []] = runs.slice(-1);
    if (last.length === rule.max || lastMs <= nowMs) return { runs, rest: undefined };
    return { runs: runs.slice(0, -1), rest: { ...hold, events: last, dueMs: lastMs } };
  }
  const events = [...hold.events];
  const runs: (readonly string[])[] = [];
  let { clearMs } = hold;
  while (events.length > 0 && freeAtMs(rule, { clearMs }) <= nowMs) {
    runs.push(events.splice(0, 1));
    clearMs = Math.max(clearMs, nowMs) + intervalMs(rule);
  }
  if (events.length === 0 && clearMs <= nowMs) return { runs, rest: undefined };
  const dueMs = events.length > 0 ? freeAtMs(rule, { clearMs }) : clearMs;
  return { runs, rest: { ...hold, events, clearMs, dueMs } };
}

/** Releases only the oldest events if the hold has more than the limit. */
export function releasePart(
  rule: HoldRule,
  hold: Hold,
  nowMs: number,
  eventsMax: number,
): ReturnType<typeof releaseEvents> {
  // Releases complete batches, because a partial batch would start a run too early.
  const most = rule.kind === "batch" ? Math.ceil(eventsMax / rule.max) * rule.max : eventsMax;
  if (hold.dueMs > nowMs || hold.events.length <= most) return releaseEvents(rule, hold, nowMs);
  const part = { ...hold, events: hold.events.slice(0, most) };
  const { runs, rest = { ...hold, events: [] } } = releaseEvents(rule, part, nowMs);
  // If a rate limit holds events, nothing happens until the next run is allowed.
  const dueMs = rest.events.length > 0 ? rest.dueMs : nowMs;
  const events = [...rest.events, ...hold.events.slice(most)];
  return { runs, rest: { ...rest, events, dueMs } };
}

type RateRule = Extract<HoldRule, { readonly kind: "rateLimit" }>;

/** Rounded up to stored milliseconds, so that the rate is never exceeded. */
function intervalMs({ max, perMs }: RateRule): number {
  return Math.ceil(perMs / max);
}

/** The earliest start of the next run: a burst of `max` at once, then one per interval. */
function freeAtMs(rule: RateRule, { clearMs }: Pick<Hold, "clearMs">): number {
  return clearMs - (rule.max - 1) * intervalMs(rule);
}
