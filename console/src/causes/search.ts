/** The search parameters of a trace, besides the resource. */
import type { Way } from "./cause-tree.ts";

export interface CausesSearch {
  /** The selected row. */
  readonly at?: string | undefined;
  /** Groups with displayed members, separated by commas. */
  readonly open?: string | undefined;
  readonly way?: Way | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export function readCausesSearch(search: Readonly<Record<string, unknown>>): CausesSearch {
  return {
    at: textOf(search["at"]),
    open: textOf(search["open"]),
    way: (["back", "forth"] as const).find((way) => way === search["way"]),
  };
}
