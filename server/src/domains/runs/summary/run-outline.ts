/**
 * Outlines of viewed runs, kept in memory, because a run page repeatedly requests counts, items and steps of the same
 * journal. A journal only grows, so later requests read only new entries.
 */
import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import type { JournalRecord } from "../engine/journal-record.ts";
import { isOver } from "../engine/store.ts";
import { planOfRun } from "../engine/run-plan.ts";
import { sortSteps, listStartedSteps, type Traceable } from "../run-trace.ts";
import type { StoredRun } from "../store.ts";
import { readJournalOutline } from "./journal-outline.ts";
import { type NodeSummary, summariseRun } from "./node-summary.ts";

/** Smaller outlines are read as fast as they are found. */
const KEPT_STEPS_MIN = 200;
/** Limit of all cached outlines together. */
const KEPT_STEPS_MAX = 50_000;

interface Known {
  readonly steps: Map<string, JournalRecord>;
  entries: number;
  /** Derived from the steps of an ended run on first use. Dropped with the next entry. */
  ended: { nodes?: NodeSummary[]; ordered?: readonly JournalRecord[] };
}

/** The steps of a run without inputs and outputs. */
export class RunOutline {
  readonly traceable: Traceable;
  /** The number of journal entries included. */
  readonly entries: number;
  readonly #ended: Known["ended"];

  constructor(traceable: Traceable, { entries, ended }: Omit<Known, "steps">) {
    this.traceable = traceable;
    this.entries = entries;
    this.#ended = isOver(traceable.status) ? ended : {};
  }

  /** The counts by node. */
  get nodes(): NodeSummary[] {
    return (this.#ended.nodes ??= summariseRun(this.traceable));
  }

  /** All steps ordered by start. */
  get ordered(): readonly JournalRecord[] {
    const { traceable } = this;
    return (this.#ended.ordered ??= sortSteps(traceable, [
      ...traceable.steps.values(),
      ...listStartedSteps(traceable),
    ]));
  }
}

export async function readRunOutline(
  { tx, services }: Pick<ReadContext, "tx" | "services">,
  run: StoredRun,
): Promise<RunOutline> {
  const outlines = outlinesOf(services);
  const known = outlines.get(run.id) ?? { steps: new Map(), entries: 0, ended: {} };
  if (known.entries < run.entries) {
    const { rows, entries } = await readJournalOutline(tx, run.id, known.entries);
    // Another request may have added the same rows in the meantime.
    for (const { forgotten, record } of rows) {
      if (forgotten) known.steps.delete(record.path);
      else known.steps.set(record.path, record);
    }
    known.entries = Math.max(known.entries, entries);
    known.ended = {};
    if (known.steps.size >= KEPT_STEPS_MIN) outlines.set(run.id, known, known.steps.size);
  }
  const plan = await planOfRun({ tx, services }, run);
  const nowMs = services.clock.nowMs();
  return new RunOutline({ status: run.status, plan, steps: known.steps, nowMs }, known);
}

const caches = new WeakMap<PlatformServices["commitFeed"], BoundedCache<Known>>();

function outlinesOf({ commitFeed }: PlatformServices): BoundedCache<Known> {
  let cache = caches.get(commitFeed);
  if (!cache) caches.set(commitFeed, (cache = new BoundedCache(KEPT_STEPS_MAX)));
  return cache;
}
