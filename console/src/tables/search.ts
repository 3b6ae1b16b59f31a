/** The search parameters of a table's screen. */
import type { Condition } from "./filter/filter-tree.ts";

export interface TableSearch {
  /** The id of a saved view. */
  readonly view?: string | undefined;
  readonly q?: string | undefined;
  readonly filter?: Condition | undefined;
  readonly sort?: string | undefined;
  readonly group?: string | undefined;
  /** The record whose panel is open. */
  readonly open?: string | undefined;
  /** The time of the shown version of that record. */
  readonly at?: string | undefined;
}

export function readTableSearch(search: Readonly<Record<string, unknown>>): TableSearch {
  const { filter } = search;
  return {
    view: textOf(search["view"]),
    q: textOf(search["q"]),
    filter: isCondition(filter) ? filter : undefined,
    sort: typeof search["sort"] === "string" ? search["sort"] : undefined,
    group: typeof search["group"] === "string" ? search["group"] : undefined,
    open: textOf(search["open"]),
    at: textOf(search["at"]),
  };
}

const isCondition = (value: unknown): value is Condition =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
