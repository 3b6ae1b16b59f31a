/**
 * Reads again what a write of this page has changed. The operation declares the kinds of its events, so no screen names
 * what becomes stale. The log tells the same a moment later; by then it is known (`isKnown` in `live.ts`).
 */
import { eventKindsOf } from "@millrace/client";
import { cache, followWrites, invalidate, invalidateWhere, type Write } from "../api.ts";
import { toReading } from "./cached-answer.ts";

/** Writes of a loop are one reading, as events of the log are. */
const BURST_MS = 150;

let writes: Write[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let readAtMs = Number.NEGATIVE_INFINITY;

type LoadRules = () => Promise<Pick<typeof import("./stale.ts"), "isStaleAfterWrite">>;

/** Begins to follow the writes of this page. */
export function followOwnWrites(loadRules: LoadRules, isFollowed: () => boolean): void {
  followWrites((write) => {
    if (eventKindsOf(write.id).length === 0) return;
    writes.push(write);
    // The first is read at once; those that follow it closely wait for each other.
    const waitMs = Math.max(0, readAtMs + BURST_MS - performance.now());
    timer ??= setTimeout(() => void readAgain(loadRules, isFollowed()), waitMs);
  });
}

async function readAgain(loadRules: LoadRules, isFollowed: boolean): Promise<void> {
  const taken = writes;
  writes = [];
  timer = undefined;
  readAtMs = performance.now();
  try {
    const { isStaleAfterWrite } = await loadRules();
    invalidateWhere((query) => {
      const reading = toReading(query, cache);
      return taken.some((write) => isStaleAfterWrite(write, reading, isFollowed));
    });
  } catch {
    // A newer console took its place on the server: whatever it is, it is read.
    invalidate([""]);
  }
}
