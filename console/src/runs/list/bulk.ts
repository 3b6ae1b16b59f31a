/** Plans the effect of a bulk action on each selected run, and why runs are skipped. */
import type { Input } from "../../data/api.ts";
import { count } from "../../ui/words.ts";
import { findCancelRefusal, findRetryRefusal } from "../run/retry.ts";
import type { Run } from "./run-book.ts";
import type { ListQuery, RunsSearch } from "./search.ts";

export interface BulkPlan {
  readonly ids: readonly string[];
  /** Reasons with the number of skipped runs. */
  readonly left: readonly { readonly reason: string; readonly count: number }[];
}

export type BulkAct = "retry" | "cancel";

/** The oldest runs are processed first. */
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

export type RetryFilter = NonNullable<NonNullable<Input<"runs.retry_many">["body"]>["filter"]>;

/** Returns the API filters for the selected runs: a bulk retry accepts one status per request. */
export function toRetryFilters(runs: readonly Run[], ids: readonly string[]): RetryFilter[] {
  const wanted = new Set(ids);
  return (["failed", "cancelled"] as const).flatMap((status) => {
    const runIds = runs.filter((run) => wanted.has(run.id) && run.status === status);
    return runIds.length === 0 ? [] : [{ status, runIds: runIds.map(({ id }) => id) }];
  });
}

/** Returns the API filter for all runs of a list; undefined if the API can't express it. */
export function toRetryAll(search: RunsSearch, query: ListQuery): RetryFilter | undefined {
  const { status, trigger, version, tests } = search;
  if (status !== "failed" && status !== "cancelled") return undefined;
  // Tests are never retried, so a list without them is equivalent.
  if (trigger !== undefined || version !== undefined || tests === "only") return undefined;
  const { workflowId, from, to, error } = query;
  return {
    status,
    ...(workflowId !== undefined && { workflowId }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(error !== undefined && { error }),
  };
}

export type CancelFilter = NonNullable<NonNullable<Input<"runs.cancel_many">["body"]>["filter"]>;

/** Returns the API filter for all active runs of a list, to cancel them. */
export function toCancelAll(search: RunsSearch, query: ListQuery): CancelFilter | undefined {
  const { status, trigger, version, tests } = search;
  if (status === undefined || !isUnderWay(status)) return undefined;
  const { workflowId, from, to, error } = query;
  // Tests end immediately, so they are never active.
  if (trigger !== undefined || version !== undefined || tests === "only" || error !== undefined) {
    return undefined;
  }
  return {
    status,
    ...(workflowId !== undefined && { workflowId }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

type UnderWay = NonNullable<CancelFilter["status"]>;

const isUnderWay = (status: string): status is UnderWay =>
  /^(queued|running|waiting|paused)$/.test(status);

/** Describes the result: `12 runs retried. 1 failed: …` */
export function tellOutcome(act: BulkAct, done: number, refused: readonly string[]): string {
  const what = count(done, "run");
  const said = act === "retry" ? `${what} retried.` : `${what} cancelled.`;
  const [first] = refused;
  if (first === undefined) return said;
  return `${said} ${refused.length} failed: ${first}`;
}
