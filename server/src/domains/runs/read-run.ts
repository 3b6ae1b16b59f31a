import { viewRun } from "./run-redaction.ts";
import {
  compilePlan,
  nodeTypesOf,
  type ExecutionPlan,
  planOfVersion,
} from "#domains/workflows/index.ts";
import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { TestRun } from "./engine/run-context.ts";
import { foldJournal } from "./engine/journal-record.ts";
import type { TracedRun } from "./run.ts";
import * as store from "./store.ts";
import { type TracePage, buildTrace } from "./run-trace.ts";

/** One run with its trace, or a part of that. */
export async function readRun(
  { tx, services, caller }: Pick<ReadContext, "tx" | "services" | "caller">,
  id: string,
  page: TracePage,
): Promise<TracedRun & { readonly revision: number }> {
  // Sent together: the second does not depend on the first.
  const [run, entries] = await Promise.all([store.find(tx, id), store.readEntries(tx, id)]);
  if (!run) throw new Failure(NotFound);
  const plan = await planOfRun({ tx, services }, run);
  const steps = foldJournal(entries.flatMap(({ records }) => records));
  const nowMs = services.clock.nowMs();
  const trace = buildTrace({ status: run.status, plan, steps, nowMs }, page);
  const view = viewRun(caller, run);
  const seen = { ...trace, steps: trace.steps.map(view.step) };
  const queue = run.status === "queued" ? await readQueue({ tx, services }, run) : {};
  return { ...run, ...view.run, ...queue, trace: seen, revision: revisionOf(run) };
}

/** The place of a queued run behind those that run and those that came before it. */
async function readQueue(
  source: { readonly tx: Tx; readonly services: PlatformServices },
  run: store.StoredRun,
): Promise<Pick<TracedRun, "queue">> {
  const version = await planOfVersion(source, run.versionId);
  const limit = version?.definition.maxConcurrency;
  if (limit === undefined) return {};
  return { queue: { limit, ...(await store.countQueue(source.tx, run)) } };
}

/** The execution plan of a run: of its version, or of the definition that it tested. */
export async function planOfRun(
  source: { readonly tx: Tx; readonly services: PlatformServices },
  run: { readonly versionId: string; readonly testRun: TestRun | null },
): Promise<ExecutionPlan | undefined> {
  const { definition } = run.testRun ?? {};
  if (definition) return compilePlan(definition, nodeTypesOf(source.services));
  return (await planOfVersion(source, run.versionId))?.plan;
}

const STATUSES = ["queued", "running", "waiting", "paused", "completed", "failed", "cancelled"];

/** Changes with each checkpoint of a run and each retry. */
export function revisionOf({ entries, status }: Pick<store.StoredRun, "entries" | "status">) {
  return entries * STATUSES.length + STATUSES.indexOf(status);
}
