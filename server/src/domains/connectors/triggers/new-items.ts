/** Finds the new items of a poll, based on the state of earlier polls. */
import { createHash } from "node:crypto";
import { valueAt } from "../openapi/run-action.ts";

/** The state of a trigger; saved in the transaction that starts the runs. */
export interface PollState {
  /** False until the first poll, which only records the existing items. */
  readonly begun?: boolean;
  /** The newest first. */
  readonly seen?: readonly string[];
  /** For an append-only list: its last length. */
  readonly count?: number;
  /** When the last poll that succeeded began. */
  readonly sinceMs?: number;
  /** For a hook: the call that ends its subscription, and the member whose rights it uses. */
  readonly end?: { readonly action: string; readonly input: unknown; readonly deployedBy: string };
}

export interface NewItems {
  readonly items: readonly unknown[];
  readonly state: PollState;
  /** True when more are new than one poll may begin runs for. */
  readonly hasMore: boolean;
}

/** The state of a trigger at the time of a poll, and the maximum number of items; default: `ITEMS_MAX`. */
export interface PollMoment {
  readonly state: PollState;
  readonly nowMs: number;
  readonly itemsMax?: number;
}

/** The number of item identifiers that are stored. */
const SEEN_MAX = 20_000;
/** The maximum number of runs that one poll starts. */
export const ITEMS_MAX = 500;
const NAME_CHARACTERS = 16;

/**
 * Separates new items from known ones. Returns the oldest first: most lists start with the newest, and an index
 * counts from the oldest. New items beyond the limit stay unknown, for the next poll.
 */
export function findNewItems(
  found: readonly unknown[],
  itemId: string,
  about: PollMoment,
): NewItems {
  if (itemId === "$index") return findAppended(found, about);
  const { state, nowMs, itemsMax = ITEMS_MAX } = about;
  const known = new Set(state.seen);
  const fresh: { readonly name: string; readonly item: unknown }[] = [];
  const present: string[] = [];
  for (const item of found) {
    const name = nameItem(item, itemId);
    present.push(name);
    if (known.has(name)) continue;
    known.add(name);
    fresh.push({ name, item });
  }
  const begun = state.begun === true;
  const taken = begun ? fresh.toReversed().slice(0, itemsMax) : [];
  const left = new Set(begun ? fresh.map(({ name }) => name) : []);
  for (const { name } of taken) left.delete(name);
  const seen = [...new Set([...present, ...(state.seen ?? [])])].filter((name) => !left.has(name));
  return {
    items: taken.map(({ item }) => item),
    state: {
      begun: true,
      seen: seen.slice(0, SEEN_MAX),
      // The next list must contain the remaining items again.
      sinceMs: left.size > 0 ? (state.sinceMs ?? nowMs) : nowMs,
    },
    hasMore: left.size > 0,
  };
}

function findAppended(
  found: readonly unknown[],
  { state, nowMs, itemsMax = ITEMS_MAX }: PollMoment,
): NewItems {
  const before = state.begun === true ? (state.count ?? 0) : found.length;
  const items = found.slice(before, before + itemsMax);
  // If the list became shorter, counting restarts from the new length.
  const count = Math.min(before + items.length, found.length);
  return { items, state: { begun: true, count, sinceMs: nowMs }, hasMore: count < found.length };
}

/** A short hash that identifies an item: by one or more fields, or by its entire content. */
function nameItem(item: unknown, itemId: string): string {
  const parts =
    itemId === "$hash" ? [item] : itemId.split("+").map((path) => valueAt(item, path) ?? null);
  // An item without the identifying fields is identified by its entire content.
  const text = JSON.stringify(parts.every((part) => part === null) ? [item] : parts);
  return createHash("sha256").update(text).digest("base64url").slice(0, NAME_CHARACTERS);
}
