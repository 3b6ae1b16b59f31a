/** Which items of a poll are new, by what earlier polls have seen. */
import { createHash } from "node:crypto";
import { valueAt } from "../openapi/run-action.ts";

/** The memory of a trigger; kept in the transaction that begins the runs. */
export interface PollState {
  /** False until the first poll, which only notes what is there. */
  readonly begun?: boolean;
  /** The newest first. */
  readonly seen?: readonly string[];
  /** Of a list that only grows: how long it was. */
  readonly count?: number;
  /** When the last poll that succeeded began. */
  readonly sinceMs?: number;
  /** Of a hook: the call that ends its subscription, and whose right that is. */
  readonly end?: { readonly action: string; readonly input: unknown; readonly deployedBy: string };
}

export interface NewItems {
  readonly items: readonly unknown[];
  readonly state: PollState;
  /** True when more are new than one poll may begin runs for. */
  readonly hasMore: boolean;
}

/** The memory of a trigger when it is polled, and how many items it takes; `ITEMS_MAX` unless given. */
export interface PollMoment {
  readonly state: PollState;
  readonly nowMs: number;
  readonly itemsMax?: number;
}

/** Names of items that are kept. */
const SEEN_MAX = 20_000;
/** Runs that one poll begins. */
export const ITEMS_MAX = 500;
const NAME_CHARACTERS = 16;

/**
 * Separates new items from those that were seen. The oldest come first: lists have the newest at the top as a rule, and
 * an index counts from the oldest. What is new beyond the limit stays unseen, for the next poll.
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
      // The next list must have what is left again.
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
  // A list that became shorter counts anew from there.
  const count = Math.min(before + items.length, found.length);
  return { items, state: { begun: true, count, sinceMs: nowMs }, hasMore: count < found.length };
}

/** A short name of an item: one field or several, or all of it. */
function nameItem(item: unknown, itemId: string): string {
  const parts =
    itemId === "$hash" ? [item] : itemId.split("+").map((path) => valueAt(item, path) ?? null);
  // An item without what should tell it apart is told apart by all of it.
  const text = JSON.stringify(parts.every((part) => part === null) ? [item] : parts);
  return createHash("sha256").update(text).digest("base64url").slice(0, NAME_CHARACTERS);
}
