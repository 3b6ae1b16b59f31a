import { viewRun } from "./run-redaction.ts";
import { planOfVersion } from "#domains/workflows/index.ts";
import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { foldJournal } from "./engine/journal-record.ts";
import type { JournalEntry } from "./engine/store.ts";
import { planOfRun } from "./engine/run-plan.ts";
import type { TracedRun } from "./run.ts";
import * as store from "./store.ts";
import { buildTrace, type Traceable, type TracePage } from "./run-trace.ts";
import { readRunOutline } from "./summary/run-outline.ts";

/** Reads a run, optionally with its trace or a part of the trace. */
export async function readRun(
  { tx, services, caller }: Pick<ReadContext, "tx" | "services" | "caller">,
  id: string,
  page: TracePage,
): Promise<TracedRun & { readonly revision: number }> {
  // Sent together, because the queries are independent. Callers without steps do not wait for the journal.
  const [run, entries] = await Promise.all([
    store.find(tx, id),
    page.limit === 0 ? undefined : store.readEntries(tx, id),
  ]);
  if (!run) throw new Failure(NotFound);
  const traceable = entries
    ? await toTraceable({ tx, services }, run, entries)
    : (await readRunOutline({ tx, services }, run)).traceable;
  const trace = buildTrace(traceable, page);
  const view = viewRun(caller, run);
  const seen = { ...trace, steps: trace.steps.map(view.step) };
  const queue = run.status === "queued" ? await readQueue({ tx, services }, run) : {};
  return { ...run, ...view.run, ...queue, trace: seen, revision: revisionOf(run) };
}

async function toTraceable(
  source: Pick<ReadContext, "tx" | "services">,
  run: store.StoredRun,
  entries: readonly JournalEntry[],
): Promise<Traceable> {
  const plan = await planOfRun(source, run);
  const steps = foldJournal(entries.flatMap(({ records }) => records));
  return { status: run.status, plan, steps, nowMs: source.services.clock.nowMs() };
}

/** The position of a queued run after active runs and earlier queued runs. */
async function readQueue(
  source: { readonly tx: Tx; readonly services: PlatformServices },
  run: store.StoredRun,
): Promise<Pick<TracedRun, "queue">> {
  const version = await planOfVersion(source, run.versionId);
  const limit = version?.definition.maxConcurrency;
  if (limit === undefined) return {};
  return { queue: { limit, ...(await store.countQueue(source.tx, run)) } };
}

const STATUSES = ["queued", "running", "waiting", "paused", "completed", "failed", "cancelled"];

/** Returns a revision that changes with every checkpoint and retry. */
export function revisionOf({ entries, status }: Pick<store.StoredRun, "entries" | "status">) {
  return entries * STATUSES.length + STATUSES.indexOf(status);
}
