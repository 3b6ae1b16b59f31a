/** Stores unsent messages in this browser by person and ticket, so that a reload keeps them. */
import { place } from "../../data/place.ts";

export interface Draft {
  readonly text: string;
  readonly isInternal: boolean;
  /** The newest message that the author had seen when they started writing. */
  readonly seenId?: string | undefined;
  readonly keptAt: number;
}

type Memory = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const PREFIX = "millrace.draft.";
const KEPT_MAX = 200;

const nameOf = (userId: string, ticketId: string): string =>
  `${PREFIX}${place.workspace ?? ""}.${place.environment}.${userId}.${ticketId}`;

export function readDraft(
  userId: string,
  ticketId: string,
  memory: Memory = localStorage,
): Draft | undefined {
  const kept = memory.getItem(nameOf(userId, ticketId));
  if (kept === null) return undefined;
  try {
    const draft = JSON.parse(kept) as Partial<Draft>;
    if (typeof draft.text !== "string") return undefined;
    return { isInternal: draft.isInternal === true, keptAt: 0, ...draft, text: draft.text };
  } catch {
    return undefined;
  }
}

/** Stores a draft; an empty one is deleted. */
export function keepDraft(
  userId: string,
  ticketId: string,
  draft: Omit<Draft, "keptAt">,
  memory: Memory = localStorage,
): void {
  const name = nameOf(userId, ticketId);
  if (draft.text.trim() === "") return memory.removeItem(name);
  dropOldest(memory);
  try {
    memory.setItem(name, JSON.stringify({ ...draft, keptAt: Date.now() }));
  } catch {
    // Storage is full or disabled: the draft is not kept, but the text stays on the screen.
  }
}

export function dropDraft(userId: string, ticketId: string, memory: Memory = localStorage): void {
  memory.removeItem(nameOf(userId, ticketId));
}

function dropOldest(memory: Memory): void {
  const keys = Array.from({ length: memory.length }, (_, n) => memory.key(n) ?? "").filter((key) =>
    key.startsWith(PREFIX),
  );
  if (keys.length < KEPT_MAX) return;
  const ageOf = (key: string): number =>
    Number(/"keptAt":(\d+)/.exec(memory.getItem(key) ?? "")?.[1]);
  const [oldest] = keys.toSorted((a, b) => ageOf(a) - ageOf(b));
  if (oldest !== undefined) memory.removeItem(oldest);
}
