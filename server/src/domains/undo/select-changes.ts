/** Selects the events to undo, grouped as changes of resources. */
import { mayHear } from "#domains/bus/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import {
  readChainEvents,
  readTransactionEvents,
  readWorkEvents,
} from "#kernel/undo/chain-events.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import { filterEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import { positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { Change, State } from "#kernel/undo/fold-changes.ts";
import { type ChangeEffect, type Inverse, knownInverses } from "#kernel/undo/inverse.ts";
import { findTransitions } from "#kernel/undo/separable.ts";
import { EVENTS_MAX, NoSuchChange, TooManyChanges, type UndoInput } from "./undo.ts";

/** A changed resource with its changes, newest first. */
export interface ChangedThing {
  readonly inverse: Inverse;
  readonly id: string;
  /** Its newest event. */
  readonly event: RecordedEvent;
  readonly changes: Change[];
  /** The type of a transition without an inverse that includes one of the changes. */
  transition?: string;
}

export interface SelectedChanges {
  /** Sorted by newest event, newest first. */
  readonly things: readonly ChangedThing[];
  /** The oldest of the events. */
  readonly first: RecordedEvent;
  /** The number of events without an inverse, by type. */
  readonly left: ReadonlyMap<string, number>;
  /** True if some of the events are hidden from the caller. */
  readonly hasHidden: boolean;
}

export async function selectChanges(
  ctx: { readonly tx: Tx; readonly services: Platform; readonly caller: Caller },
  input: UndoInput,
): Promise<SelectedChanges> {
  const events = await readEvents(ctx.tx, input);
  if (!events) throw new Failure(TooManyChanges);
  const visible = await filterEvents(visibilityContext(ctx), ctx.caller.principal, events);
  const seen = new Set(visible.map(({ id }) => id));
  // Visible changes are undone; the domain rejects those without write access.
  const concerned = events.filter(({ id }) => seen.has(id));
  const first = concerned.at(-1);
  if (!first) throw new Failure(NoSuchChange);
  const inverses = knownInverses(ctx.services);
  const transitions = findTransitions(ctx.services, await withTransaction(ctx.tx, input, events));
  const things = new Map<Inverse, Map<string, ChangedThing>>();
  const ordered: ChangedThing[] = [];
  const left = new Map<string, number>();
  for (const event of concerned) {
    const found = inverses.get(event.type);
    // Events without an inverse are only reported to users with access to that part of the log.
    if (!found && mayHear(ctx.caller, event.topic))
      left.set(event.type, (left.get(event.type) ?? 0) + 1);
    if (!found || found.effect === "companion") continue;
    const { inverse, effect } = found;
    const id = inverse.idOf?.(event) ?? event.resource.id;
    const ofInverse = things.get(inverse) ?? new Map<string, ChangedThing>();
    things.set(inverse, ofInverse);
    const thing: ChangedThing = ofInverse.get(id) ?? { inverse, id, event, changes: [] };
    if (!ofInverse.has(id)) ordered.push(thing);
    ofInverse.set(id, thing);
    thing.changes.push(toChange(event, effect, inverse));
    const transition = transitions.get(event.id);
    if (transition !== undefined) thing.transition = transition;
  }
  const hasHidden = seen.size < events.length;
  return { things: ordered, first, left, hasHidden };
}

/** A single event needs the other events of its transaction for context. */
async function withTransaction(
  tx: Tx,
  { eventId }: UndoInput,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const [event] = events;
  return eventId !== undefined && event ? readTransactionEvents(tx, event) : events;
}

async function readEvents(tx: Tx, input: UndoInput): Promise<readonly RecordedEvent[] | undefined> {
  const { eventId, correlationId, runId } = input;
  const named = [eventId, correlationId, runId].filter((value) => value !== undefined);
  if (named.length !== 1) {
    throw invalidField("/eventId", "or `correlationId`, or `runId`: exactly one must be given");
  }
  if (correlationId !== undefined) return readChainEvents(tx, correlationId, EVENTS_MAX);
  if (runId !== undefined) return readWorkEvents(tx, runId, EVENTS_MAX);
  const position = positionOf(eventId ?? "");
  const event = position && (await findEvent(tx, position));
  return event ? [event] : [];
}

function toChange(event: RecordedEvent, effect: ChangeEffect, { changeOf }: Inverse): Change {
  const { id: eventId, data } = event;
  if (effect === "created") return { eventId, before: null, after: data, fields: [] };
  if (effect === "deleted") return { eventId, before: data, after: null, fields: [] };
  if (changeOf) {
    const change = changeOf(event);
    return { eventId, ...change, fields: Object.keys(change.after) };
  }
  const { before, after, changes } = data;
  const fields = Array.isArray(changes) ? changes.map(String) : [];
  return { eventId, before: before as State, after: after as State, fields };
}
