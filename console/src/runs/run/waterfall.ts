/**
 * The steps of a run as rows on a time axis. A loop is one row until it is expanded into its items, and each item
 * into its steps: a loop of thousands is one row, and users can still reach the failed one. Only visible items are
 * loaded.
 */
import type { Schemas } from "../../data/api.ts";

type RunStep = Schemas["RunStep"];

export interface FallRow {
  /** The id of the step, or `each[3]` for an item of a loop. */
  readonly id: string;
  readonly label: string;
  readonly depth: number;
  readonly status: string;
  readonly startMs: number | undefined;
  /** Undefined while it is active. */
  readonly endMs: number | undefined;
  readonly step: RunStep | undefined;
  /** For loops: the number of items and of failed items. */
  readonly items?: { readonly count: number; readonly failed: number };
  readonly isOpen?: boolean;
}

/** From the least to the most important status. */
const WEIGHTS = ["skipped", "cancelled", "completed", "waiting", "paused", "running", "failed"];

interface ItemSpan {
  readonly number: number;
  status: string;
  startMs: number | undefined;
  endMs: number | undefined;
}

const timeOf = (at: string | null): number | undefined =>
  at === null ? undefined : Date.parse(at);

/** Returns the id of the item that contains a step: `each[3]` for `each[3].charge`; empty at the top level. */
const prefixOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf(".")));

export interface StepTree {
  /** Steps by the item that contains them. */
  readonly children: ReadonlyMap<string, readonly RunStep[]>;
  /** Items by loop id. */
  readonly items: ReadonlyMap<string, ReadonlyMap<number, ItemSpan>>;
}

export function buildStepTree(steps: Iterable<RunStep>): StepTree {
  const children = new Map<string, RunStep[]>();
  const items = new Map<string, Map<number, ItemSpan>>();
  for (const step of steps) {
    const prefix = prefixOf(step.id);
    const siblings = children.get(prefix);
    if (siblings) siblings.push(step);
    else children.set(prefix, [step]);
    for (let item = prefix; item !== ""; item = prefixOf(item)) widenItem(items, item, step);
  }
  return { children, items };
}

function widenItem(items: Map<string, Map<number, ItemSpan>>, item: string, step: RunStep): void {
  if (step.status === "skipped") return;
  const [, loop = item, index = "0"] = ITEM.exec(item) ?? [];
  const mine = items.get(loop) ?? new Map<number, ItemSpan>();
  items.set(loop, mine);
  const [startMs, endMs] = [timeOf(step.startedAt), timeOf(step.finishedAt)];
  const span = mine.get(Number(index));
  if (!span) {
    mine.set(Number(index), { number: Number(index), status: step.status, startMs, endMs });
    return;
  }
  if (WEIGHTS.indexOf(step.status) > WEIGHTS.indexOf(span.status)) span.status = step.status;
  if (startMs !== undefined) span.startMs = Math.min(span.startMs ?? startMs, startMs);
  if (endMs !== undefined) span.endMs = Math.max(span.endMs ?? endMs, endMs);
}

/** Returns the rows for these expanded loops and items. Every item of a loop has a row, even if it is not loaded. */
export function listFallRows(
  tree: StepTree,
  open: ReadonlySet<string>,
  failures: ReadonlyMap<string, number> = NO_FAILURES,
): readonly FallRow[] {
  const rows: FallRow[] = [];
  const addSteps = (prefix: string, depth: number): void => {
    for (const step of tree.children.get(prefix) ?? []) {
      if (step.status === "skipped") continue;
      const { id, items } = step;
      const isLoop = items !== undefined && items > 0;
      const isOpen = open.has(id);
      const loop = isLoop && { isOpen, items: { count: items, failed: failures.get(id) ?? 0 } };
      rows.push({ ...toRow(step, depth), ...loop });
      if (isLoop && isOpen) addItems(id, items, depth + 1);
    }
  };
  const addItems = (loop: string, count: number, depth: number): void => {
    const spans = tree.items.get(loop);
    for (let number = 0; number < count; number += 1) {
      const id = `${loop}[${number}]`;
      const { status = UNREAD, startMs, endMs } = spans?.get(number) ?? {};
      const isOpen = open.has(id);
      const label = `Item ${number + 1}`;
      rows.push({ id, label, depth, status, startMs, endMs, step: undefined, isOpen });
      if (isOpen) addSteps(id, depth + 1);
    }
  };
  addSteps("", 0);
  return rows;
}

const NO_FAILURES: ReadonlyMap<string, number> = new Map();
/** The status of an item that is not loaded. */
export const UNREAD = "unread";

const ITEM = /^(.*)\[(\d+)\]$/;

/** Returns the ranges of items that contain these rows and the expanded items. */
export function listStretches(
  rows: Iterable<FallRow>,
  open: ReadonlySet<string>,
  size: number,
): readonly { readonly loop: string; readonly first: number }[] {
  const found = new Map<string, { readonly loop: string; readonly first: number }>();
  for (const id of [...open, ...Array.from(rows, (row) => row.id)]) {
    const [, loop, number] = ITEM.exec(id) ?? [];
    if (loop === undefined) continue;
    const first = Number(number) - (Number(number) % size);
    found.set(`${loop}[${first}]`, { loop, first });
  }
  return [...found.values()];
}

function toRow(step: RunStep, depth: number): FallRow {
  const [startMs, endMs] = [timeOf(step.startedAt), timeOf(step.finishedAt)];
  const { id, name, status } = step;
  return { id, label: name, depth, status, startMs, endMs, step };
}

/** Returns steps from any loop as flat rows, each labelled with its items. */
export function listPlainRows(steps: Iterable<RunStep>): readonly FallRow[] {
  return Array.from(steps, (step) => ({ ...toRow(step, 0), label: labelWithItems(step) }));
}

function labelWithItems({ id, name }: RunStep): string {
  const items = Array.from(id.matchAll(/\[(\d+)\]/g), ([, n]) => Number(n) + 1);
  return items.length === 0 ? name : `${items.join(".")} · ${name}`;
}

/** Returns the loops and items to expand to show a step. */
export function wayTo(id: string): readonly string[] {
  const way: string[] = [];
  for (let item = prefixOf(id); item !== ""; item = prefixOf(item)) {
    way.push(item, item.replace(/\[\d+\]$/, ""));
  }
  return way;
}
