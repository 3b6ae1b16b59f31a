/** Choice and order of the workflows that are shown. */
import type { RunSummary } from "./recent-runs.ts";

export const SORTS = ["name", "runs", "failures", "changed"] as const;
export type Sort = (typeof SORTS)[number];

export const FILTERS = ["active", "inactive", "failing", "archived"] as const;
export type Filter = (typeof FILTERS)[number];

export interface ListSearch {
  readonly q?: string | undefined;
  readonly show?: Filter | undefined;
  readonly tag?: string | undefined;
  /** With a minus it is the other way round. */
  readonly sort?: string | undefined;
  /** The row that the keys act on. */
  readonly chosen?: string | undefined;
  readonly new?: "nothing" | "example" | "import" | undefined;
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly updatedAt: string;
}

type Summaries = ReadonlyMap<string, RunSummary>;

/** Archived ones are shown only when they are asked for. */
export function isShown(
  { id, status }: Listed,
  show: Filter | undefined,
  summaries: Summaries,
): boolean {
  if (show === "archived") return status === "archived";
  if (status === "archived") return false;
  if (show === "failing") return (summaries.get(id)?.failures ?? 0) > 0;
  return show === undefined || status === show;
}

/** The natural way first: names from A, all else from the most or the newest. */
export function sortWorkflows<W extends Listed>(
  workflows: readonly W[],
  sort: string,
  summaries: Summaries,
): readonly W[] {
  const isReverse = sort.startsWith("-");
  const by = SORTS.find((one) => one === sort.replace("-", "")) ?? "name";
  const lastRun = ({ id }: Listed): string => summaries.get(id)?.last.at(-1)?.createdAt ?? "";
  const failures = ({ id }: Listed): number => summaries.get(id)?.failures ?? 0;
  const compare = {
    name: (a: W, b: W) => a.name.localeCompare(b.name, undefined, { numeric: true }),
    runs: (a: W, b: W) => lastRun(b).localeCompare(lastRun(a)),
    failures: (a: W, b: W) => failures(b) - failures(a),
    changed: (a: W, b: W) => b.updatedAt.localeCompare(a.updatedAt),
  }[by];
  const sorted = workflows.toSorted((a, b) => compare(a, b) || a.name.localeCompare(b.name));
  return isReverse ? sorted.toReversed() : sorted;
}

const WAYS = ["nothing", "example", "import"] as const;

/** Reads what an address says about the list. */
export function parseListSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  const text = (value: unknown): string | undefined =>
    typeof value === "string" && value !== "" ? value : undefined;
  return {
    q: text(search["q"]),
    show: FILTERS.find((filter) => filter === search["show"]),
    tag: text(search["tag"]),
    sort: text(search["sort"]),
    chosen: text(search["chosen"]),
    new: WAYS.find((way) => way === search["new"]),
  };
}

/** The tags of these workflows, the most used first. */
export function listTags(
  workflows: readonly { readonly tags?: readonly string[] | undefined }[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const tag of workflows.flatMap(({ tags = [] }) => tags)) {
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([tag]) => tag);
}
