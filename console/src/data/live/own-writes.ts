/**
 * Reloads data changed by this page. Operations declare their event types, so screens don't list stale queries.
 * The log reports the change again later, which is then ignored (`isKnown` in `live.ts`).
 */
import { eventKindsOf } from "@millrace/client";
import { cache, followWrites, invalidate, invalidateWhere, type Write } from "../api.ts";
import { toReading } from "./cached-answer.ts";

/** Writes in quick succession cause one reload, like bursts of events. */
const BURST_MS = 150;

let writes: Write[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let readAtMs = Number.NEGATIVE_INFINITY;

type LoadRules = () => Promise<Pick<typeof import("./stale.ts"), "isStaleAfterWrite">>;

/** Starts to observe the writes of this page. */
export function followOwnWrites(loadRules: LoadRules, isFollowed: () => boolean): void {
  followWrites((write) => {
    if (eventKindsOf(write.id).length === 0) return;
    writes.push(write);
    // The first write reloads at once; writes shortly after it are batched.
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
    // A deployment has replaced the file of the rules: everything is reloaded.
    invalidate([""]);
  }
}
