import type { Schemas } from "../../data/api.ts";
import { toWords } from "../../ui/words.ts";
import type { Kind } from "../ticket-kind.ts";
import type { Due } from "./due.ts";

/** The last thing that was said to or by the caller. */
export interface LastWord {
  readonly at: string;
  readonly byId: string;
  readonly isCaller: boolean;
}

/** A row of the queue. */
export interface QueueTicket {
  readonly kind: Kind;
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly state: string;
  readonly priority: number | null;
  readonly isMajor: boolean;
  readonly callerId: string | null;
  readonly assigneeId: string | null;
  readonly teamId: string | null;
  readonly onHoldReason: string | null;
  readonly tags: readonly string[];
  readonly due: Due | undefined;
  readonly lastWord: LastWord | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The version as the list had it: the condition of a change from the list. */
  readonly revision: number;
}

type Clock = Schemas["SlaBoardClock"];
const MINUTE_MS = 60_000;

export function toDue(clock: Clock | undefined, nowMs: number): Due | undefined {
  if (
    !clock ||
    (clock.state !== "running" && clock.state !== "paused" && clock.state !== "breached")
  )
    return undefined;
  return {
    state: clock.state,
    dueAt: clock.dueAt,
    remainingMs: clock.remainingMs,
    targetMs: clock.targetMinutes * MINUTE_MS,
    isCounting: clock.counting,
    readAtMs: nowMs,
    promise: `${toWords(clock.metric)} · ${clock.policyName}`,
  };
}

/** The clock of each ticket that runs out first. */
export function firstClocks(clocks: readonly Clock[]): ReadonlyMap<string, Clock> {
  const first = new Map<string, Clock>();
  for (const clock of clocks) {
    const best = first.get(clock.ticket.id);
    if (!best || (clock.dueAt ?? "9") < (best.dueAt ?? "9")) first.set(clock.ticket.id, clock);
  }
  return first;
}

export function fromIncident(
  incident: Schemas["ListedIncident"],
  due: Due | undefined,
): QueueTicket {
  const { id, number, title, state, priority, isMajor, revision } = incident;
  const { callerId, assigneeId, teamId, onHoldReason, createdAt, updatedAt } = incident;
  return {
    kind: "incident",
    ...{ id, number, title, state, priority, isMajor, revision },
    ...{ callerId, assigneeId, teamId, onHoldReason, createdAt, updatedAt },
    tags: [],
    due,
    lastWord: undefined,
  };
}
