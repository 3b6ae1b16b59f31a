import type { Schemas } from "../../data/api.ts";
import { toWords } from "../../ui/words.ts";
import type { Kind } from "../ticket-kind.ts";
import type { Due } from "./due.ts";

/** The last message to or from the caller. */
export interface LastWord {
  readonly at: string;
  readonly by: string;
  readonly isCaller: boolean;
}

export interface QueueTicket {
  readonly kind: Kind;
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly state: string;
  readonly priority: number | null;
  readonly callerId: string | null;
  readonly callerName: string | undefined;
  readonly assigneeId: string | null;
  /** The assignee; changes optimistically, before the server responds. */
  readonly assignee: Name | undefined;
  readonly teamId: string | null;
  readonly reason: string | null;
  readonly tags: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly due: Due | undefined;
  readonly lastWord: LastWord | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface Name {
  readonly id: string;
  readonly name: string | null;
}

type Item = Schemas["ListedTicketItem"];

export function toQueueTicket(item: Item, readAtMs: number): QueueTicket {
  const { kind, id, number, title, state, priority, callerId, assigneeId, teamId, tags } = item;
  return {
    kind,
    id,
    number,
    title,
    // A merged ticket was not abandoned, so its own state would be misleading.
    state: item.mergedIntoId === null ? state : "merged",
    priority,
    callerId,
    callerName: item.caller?.name ?? undefined,
    assigneeId,
    assignee: item.assignee ?? undefined,
    teamId,
    reason: item.dueReason ?? item.onHoldReason,
    tags,
    fields: item.fields,
    due: toDue(item, readAtMs),
    lastWord: item.lastPublicComment ?? undefined,
    createdAt: item.createdAt,
    updatedAt: item.updatedAt,
  };
}

function toDue({ dueAt, dueState, dueMetric, createdAt }: Item, readAtMs: number): Due | undefined {
  if (dueState === null) return undefined;
  const dueMs = dueAt === null ? readAtMs : Date.parse(dueAt);
  return {
    state: dueState,
    dueAt,
    remainingMs: dueMs - readAtMs,
    targetMs: dueMs - Date.parse(createdAt),
    isCounting: dueAt !== null,
    readAtMs,
    promise: dueMetric === null ? "SLA" : toWords(dueMetric),
  };
}

export function assigneeName(
  { assigneeId, assignee }: Pick<QueueTicket, "assigneeId" | "assignee">,
  nameOf: (id: string) => string | undefined,
): string | undefined {
  if (assigneeId === null) return undefined;
  const said = assignee?.id === assigneeId ? assignee.name : undefined;
  return said ?? nameOf(assigneeId) ?? "Unknown user";
}
