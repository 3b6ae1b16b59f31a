/** What the address of a trace says besides the thing. */
import type { Way } from "./cause-tree.ts";

export interface CausesSearch {
  /** The chosen row. */
  readonly at?: string | undefined;
  /** Fans whose members are shown, with commas between them. */
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
