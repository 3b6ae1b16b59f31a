/** What a bulk act would do to each of the selected runs, and why it leaves some out. */
import { count } from "../../ui/words.ts";
import { findCancelRefusal, findRetryRefusal } from "../run/retry.ts";
import type { Run } from "./run-book.ts";

export interface BulkPlan {
  readonly ids: readonly string[];
  /** Reasons with the number of runs that they leave out. */
  readonly left: readonly { readonly reason: string; readonly count: number }[];
}

export type BulkAct = "retry" | "cancel";

/** The oldest runs go first. */
export function planBulk(act: BulkAct, runs: readonly Run[], mayTrigger: boolean): BulkPlan {
  const ids: string[] = [];
  const left = new Map<string, number>();
  for (const run of runs.toReversed()) {
    const reason =
      act === "retry"
        ? findRetryRefusal(run, "failed", mayTrigger)
        : findCancelRefusal(run, mayTrigger);
    if (reason === undefined) ids.push(run.id);
    else left.set(reason, (left.get(reason) ?? 0) + 1);
  }
  return { ids, left: Array.from(left, ([reason, n]) => ({ reason, count: n })) };
}

/** How it went: `12 runs go on. 1 was refused: …` */
export function tellOutcome(act: BulkAct, done: number, refused: readonly string[]): string {
  const what = count(done, "run");
  const said = act === "retry" ? `${what} ${done === 1 ? "goes" : "go"} on.` : `${what} cancelled.`;
  const [first] = refused;
  if (first === undefined) return said;
  return `${said} ${refused.length} ${refused.length === 1 ? "was" : "were"} refused: ${first}`;
}
