/**
 * Outlines of runs that somebody looks at, kept in memory: a page of a run asks for counts, items and steps of the same
 * journal again and again. A journal only grows, so what is known is read once, and then what came after it.
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

/** Smaller ones are read as quickly as they are found. */
const KEPT_STEPS_MIN = 200;
/** Of all kept outlines together. */
const KEPT_STEPS_MAX = 50_000;

interface Known {
  readonly steps: Map<string, JournalRecord>;
  entries: number;
  /** Derived from the steps of a run that is over, once somebody asked; dropped with its next entry. */
  ended: { nodes?: NodeSummary[]; ordered?: readonly JournalRecord[] };
}

/** The steps of a run without what they read and wrote. */
export class RunOutline {
  readonly traceable: Traceable;
  /** How many entries of the journal it holds. */
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

  /** All steps in the order of their starts. */
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
    // Another request may have been here meanwhile: what it added is the same.
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
