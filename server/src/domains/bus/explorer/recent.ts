/** Finds the newest events that the caller can read and that match a query. */
import Type, { type Static } from "typebox";
import { EventsRead } from "#domains/audit/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import { attachFor } from "#kernel/condition/subject-root.ts";
import { PATTERN_CHARACTERS_MAX } from "#kernel/condition/event-pattern.ts";
import { callSpan, readCausedEvents, readCauses } from "#kernel/log/causal-chain.ts";
import { readEventsAt } from "#kernel/log/event-log.ts";
import {
  findPositionAfter,
  findPositionBefore,
  isSelective,
  scanEvents,
} from "#kernel/log/event-scan.ts";
import {
  EventEnvelope,
  eventIdOf,
  type LogPosition,
  positionOf,
  type RecordedEvent,
  toEventEnvelope,
} from "#kernel/log/event.ts";
import { filterEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { unwrapped } from "#kernel/operation/response.ts";
import { idPattern } from "#kernel/schema/id.ts";
import { InputTime, line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { compileMatch, type EventQuery, readFilter, toSelection } from "./event-match.ts";

/** The limits of one request in time and events. The next request continues from its end. */
const SEARCH_MAX_MS = 80;
const LOOKED_EVENTS_MAX = 200_000;
/** Windows grow: frequent events are found in the first, and rare ones need few windows. */
const WINDOW_EVENTS = 500;
const WINDOW_EVENTS_MAX = 8_000;
const WINDOW_GROWTH = 4;
/** A condition is evaluated in this process, so each event is read completely. */
const CONDITION_WINDOW_EVENTS = 200;
const CONDITION_EVENTS_MAX = 2_000;
/** The events of one correlation. */
const CHAIN_EVENTS_MAX = 5_000;

const EventPage = Type.Object(
  {
    data: Type.Array(EventEnvelope),
    pagination: Type.Object(
      {
        nextCursor: nullable(
          Type.String({ description: "Cursor of the next page. Send it as `after`" }),
        ),
        hasMore: Type.Boolean(),
        limit: Type.Integer(),
        // The end of the scan. Null if there are no older events.
        searchedTo: nullable(Time),
      },
      { title: "EventPagination" },
    ),
  },
  { title: "EventPage" },
);

export const listRecentEvents = query({
  id: "events.recent",
  route: "GET /api/v1/events/recent",
  summary: "Search events, newest first",
  description:
    "Searches the events of all topics or a single topic. `type` is a pattern. `filter` is a condition; with `topic` and `type`, it selects the same events as a trigger or a webhook. `q` searches names and the visible data. Events that access rules hide are omitted. A request searches for less than 0.1 seconds, so a page can contain fewer than `limit` events or be empty: `nextCursor` continues where it stopped, and `searchedTo` is that time. Events of the topic `audit` require `audit:read`. For new events, use the stream of a topic.",
  permission: EventsRead,
  query: object({
    ...pageQuery,
    topic: Type.Optional(line(200)),
    type: Type.Optional(line(PATTERN_CHARACTERS_MAX, "Event type pattern. Example: `incident.*`")),
    filter: Type.Optional(Type.String({ maxLength: 20_000, description: "A condition as JSON" })),
    actorId: Type.Optional(line(100)),
    resourceType: Type.Optional(line(100)),
    resourceId: Type.Optional(line(200)),
    correlationId: Type.Optional(line(100)),
    from: Type.Optional(InputTime),
    to: Type.Optional(InputTime),
    q: Type.Optional(line(200, "Text in the data, or in the name of the resource or the actor")),
  }),
  response: unwrapped(EventPage),
  example: { query: { limit: 20, topic: "incident", type: "incident.*", q: "printer" } },
  run: readRecentEvents,
});

async function readRecentEvents(
  ctx: ReadContext,
  { query: { limit, after, ...of } }: { readonly query: RecentQuery },
): Promise<Static<typeof EventPage>> {
  const start = after === undefined ? undefined : positionOf(after);
  if (after !== undefined && !start)
    throw invalidField("?after", "is not a valid cursor for this list");
  const matches = compileMatch(ctx, of);
  const chain = of.correlationId === undefined ? [] : await readChain(ctx, of.correlationId);
  const search = new EventSearch(ctx, narrowToCall(of), { limit, matches });
  if (chain.length > 0) await search.take(chain.filter(({ id }) => !after || id < after));
  else await search.run(start);
  const { found, end } = search;
  const isFull = found.length > limit;
  const data = found.slice(0, limit);
  const next = isFull ? data.at(-1)?.id : end && eventIdOf(end.position);
  return {
    data: data.map(toEventEnvelope),
    pagination: {
      nextCursor: next ?? null,
      hasMore: next !== undefined,
      limit,
      searchedTo: (isFull ? data.at(-1)?.createdAt : end && toWholeMinute(end.at)) ?? null,
    },
  };
}

/** The precision of times of events that the caller cannot see. */
const TOLD_MS = 60_000;

function toWholeMinute(at: string): string {
  return new Date(Math.ceil(Date.parse(at) / TOLD_MS) * TOLD_MS).toISOString();
}

/** Scans the log backwards until a page is full, the time is over or the log ends. */
class EventSearch {
  /** At most one more than a page. */
  readonly found: RecordedEvent[] = [];
  /** The position where the scan stopped. Undefined at the end of the log. */
  end: { readonly position: LogPosition; readonly at: string } | undefined;
  readonly #ctx: ReadContext;
  readonly #of: EventQuery;
  readonly #condition: Condition | undefined;
  readonly #foundMax: number;
  readonly #matches: (event: RecordedEvent) => boolean;

  constructor(
    ctx: ReadContext,
    of: EventQuery,
    { limit, matches }: { limit: number; matches: (event: RecordedEvent) => boolean },
  ) {
    this.#ctx = ctx;
    this.#of = of;
    this.#condition = of.filter === undefined ? undefined : readFilter(of.filter);
    this.#foundMax = limit + 1;
    this.#matches = matches;
  }

  async run(start: LogPosition | undefined): Promise<void> {
    const { tx } = this.#ctx;
    const { from, to, filter } = this.#of;
    const selection = toSelection(this.#ctx, this.#of);
    const newest = to === undefined ? undefined : await findPositionAfter(tx, to);
    const oldest = from === undefined ? undefined : await findPositionBefore(tx, from);
    let before = earlier(start, newest);
    const endsAt = performance.now() + SEARCH_MAX_MS;
    const lookedMax = filter === undefined ? LOOKED_EVENTS_MAX : CONDITION_EVENTS_MAX;
    const windowMax = filter === undefined ? WINDOW_EVENTS_MAX : CONDITION_WINDOW_EVENTS;
    // Without a selection, every event matches.
    let scanMax = isSelective(selection) ? Math.min(WINDOW_EVENTS, windowMax) : this.#foundMax;
    for (let looked = 0; ;) {
      const window = { before, oldest, scanMax, limit: Math.min(this.#foundMax, scanMax) };
      const { events, end, scanned } = await scanEvents(tx, selection, window);
      await this.take(events);
      looked += scanned;
      // If a window has more matches than were read, the scan continues after the last of them.
      const last = events.at(-1);
      const isCut = events.length === window.limit && last !== undefined;
      this.end = isCut ? { position: last.position, at: last.createdAt } : end;
      if (!this.end || this.found.length >= this.#foundMax) return;
      const leftMs = endsAt - performance.now();
      if (looked >= lookedMax || leftMs <= 0) return;
      before = this.end.position;
      // Estimates the next window from the remaining time and the pace so far.
      const paced = Math.ceil((looked / (SEARCH_MAX_MS - leftMs)) * leftMs);
      scanMax = Math.min(scanMax * WINDOW_GROWTH, windowMax, Math.max(paced, WINDOW_EVENTS));
    }
  }

  /** Adds events that the caller can see and that match in their visible form. */
  async take(events: readonly RecordedEvent[]): Promise<void> {
    const { caller } = this.#ctx;
    const subjects = await attachFor(this.#ctx, [this.#condition], events);
    const seen = await filterEvents(visibilityContext(this.#ctx), caller.principal, subjects);
    this.found.push(...seen.filter(this.#matches).slice(0, this.#foundMax - this.found.length));
  }
}

/** The events of a correlation, newest first. Empty if its first events had no effects. */
async function readChain(
  ctx: ReadContext,
  correlationId: string,
): Promise<readonly RecordedEvent[]> {
  const { tx } = ctx;
  const bounds = { eventsMax: CHAIN_EVENTS_MAX };
  const { events } = await readCausedEvents(tx, [correlationId], bounds);
  const causeIds = new Set(events.flatMap(({ causationId }) => causationId ?? []));
  const causes = await readCauses(tx, [...causeIds], bounds);
  const hidden = toSelection(ctx, {}).hiddenTopics;
  const all = [...events, ...causes].filter(
    (event) => event.correlationId === correlationId && !hidden.includes(event.topic),
  );
  const positions = new Map(all.map(({ id, position }) => [id, position]));
  const whole = await readEventsAt(tx, [...positions.values()]);
  return whole.toSorted((left, right) => (left.id < right.id ? 1 : -1));
}

/**
 * Events without a cause are not in the correlation index, but belong to the call that started the correlation, and
 * the correlation id contains its time. So only those minutes are searched, for any length of the log.
 */
function narrowToCall(of: EventQuery): EventQuery {
  const { correlationId, from, to } = of;
  if (correlationId === undefined || !CORRELATION_ID.test(correlationId)) return of;
  const call = callSpan(correlationId);
  return {
    ...of,
    from: from === undefined || Date.parse(from) < Date.parse(call.from) ? call.from : from,
    to: to === undefined || Date.parse(to) > Date.parse(call.to) ? call.to : to,
  };
}

const CORRELATION_ID = new RegExp(idPattern("cor"));

function earlier(
  left: LogPosition | undefined,
  right: LogPosition | undefined,
): LogPosition | undefined {
  if (!left || !right) return left ?? right;
  return eventIdOf(left) < eventIdOf(right) ? left : right;
}

interface RecentQuery extends EventQuery {
  readonly limit: number;
  readonly after?: string;
}
