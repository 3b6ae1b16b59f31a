/** Filters and sort order of the workflow list. */
import type { RunSummary } from "./recent-runs.ts";

export const SORTS = ["name", "runs", "failures", "changed"] as const;
export type Sort = (typeof SORTS)[number];

export const FILTERS = ["active", "inactive", "failing", "archived"] as const;
export type Filter = (typeof FILTERS)[number];

export interface ListSearch {
  readonly q?: string | undefined;
  readonly show?: Filter | undefined;
  readonly tag?: string | undefined;
  /** A leading minus sorts in descending order. */
  readonly sort?: string | undefined;
  /** The row that keyboard shortcuts apply to. */
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

/** Archived workflows are hidden by default. */
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

/** The default direction per column: names ascending, all others descending. */
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

/** Parses the search parameters of the list. */
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

/** Returns the tags of these workflows, sorted by usage. */
export function listTags(
  workflows: readonly { readonly tags?: readonly string[] | undefined }[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const tag of workflows.flatMap(({ tags = [] }) => tags)) {
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([tag]) => tag);
}
