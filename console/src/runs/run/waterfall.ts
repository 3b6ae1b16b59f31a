/**
 * The steps of a run as rows on one axis of time. A loop is one row until it is unfolded; then its items are rows, and
 * each of these unfolds into its steps: a loop of thousands is one line, and still leads to the one that failed. Only
 * items in sight are read.
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
  /** Undefined while it is under way. */
  readonly endMs: number | undefined;
  readonly step: RunStep | undefined;
  /** Of a loop: how many items it has, and how many of them failed. */
  readonly items?: { readonly count: number; readonly failed: number };
  readonly isOpen?: boolean;
}

/** From what matters least to what matters most. */
const WEIGHTS = ["skipped", "cancelled", "completed", "waiting", "paused", "running", "failed"];

interface ItemSpan {
  readonly number: number;
  status: string;
  startMs: number | undefined;
  endMs: number | undefined;
}

const timeOf = (at: string | null): number | undefined =>
  at === null ? undefined : Date.parse(at);

/** The id of the item that a step stands in, `each[3]` of `each[3].charge`; empty at the top. */
const prefixOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf(".")));

export interface StepTree {
  /** Steps by the item that they stand in. */
  readonly children: ReadonlyMap<string, readonly RunStep[]>;
  /** Items by the id of their loop. */
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

/** The rows, when these loops and items are unfolded. Of a loop each item is a row, also one that was not read yet. */
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
/** The status of an item of which nothing was read. */
export const UNREAD = "unread";

const ITEM = /^(.*)\[(\d+)\]$/;

/** The stretches of items that some rows and the open items stand in. */
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

/** Steps from anywhere as rows, each with its items before its name. */
export function listPlainRows(steps: Iterable<RunStep>): readonly FallRow[] {
  return Array.from(steps, (step) => ({ ...toRow(step, 0), label: labelWithItems(step) }));
}

function labelWithItems({ id, name }: RunStep): string {
  const items = Array.from(id.matchAll(/\[(\d+)\]/g), ([, n]) => Number(n) + 1);
  return items.length === 0 ? name : `${items.join(".")} · ${name}`;
}

/** The loops and items to unfold so that a step is in sight. */
export function wayTo(id: string): readonly string[] {
  const way: string[] = [];
  for (let item = prefixOf(id); item !== ""; item = prefixOf(item)) {
    way.push(item, item.replace(/\[\d+\]$/, ""));
  }
  return way;
}
