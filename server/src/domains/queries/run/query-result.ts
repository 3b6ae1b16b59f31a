import Type, { type Static } from "typebox";
import type { SqlResult } from "#kernel/db/sql-runner.ts";
import { cellTypeOf } from "../cell-type.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import { OWN_COLUMNS } from "./wrap-statement.ts";

export const QueryResult = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        name: Type.String({ description: "Duplicate names get a suffix such as `_2`" }),
        type: Type.String({
          description: "PostgreSQL type, such as `bigint` or `text[]`",
        }),
      }),
    ),
    rows: Type.Array(Type.Unknown(), {
      description: "One object per row, or one list of values if `rowMode` is `array`",
    }),
    rowCount: Type.Integer({ description: "Number of returned rows" }),
    truncated: Type.Boolean({ description: "Whether there are more rows" }),
    durationMs: Type.Integer(),
  },
  { title: "QueryAnswer" },
);
export type QueryResult = Static<typeof QueryResult>;

export const ROW_MODES = ["object", "array"] as const;
export type RowMode = (typeof ROW_MODES)[number];

/** The maximum number of cells: results are serialized as JSON in one step. */
export const CELLS_MAX = 200_000;

/** The result of a wrapped statement, without the columns of the wrapping. */
export async function toQueryResult(
  { columns, rows }: SqlResult,
  { limit, rowMode }: { readonly limit: number; readonly rowMode: RowMode },
): Promise<Omit<QueryResult, "durationMs">> {
  const types = columns.slice(OWN_COLUMNS).map(({ typeId }) => cellTypeOf(typeId));
  const names = uniqueNames(columns.slice(OWN_COLUMNS).map(({ name }) => name));
  const total = Number(rows[0]?.[0] ?? 0);
  // A row without a number only has the count.
  const rowsMax = Math.min(limit, Math.floor(CELLS_MAX / Math.max(1, types.length)));
  const visible = rows.filter(([, at]) => at !== null).slice(0, rowsMax);
  const turn = new TurnTimer();
  const results: unknown[] = [];
  for (const row of visible) {
    if (turn.isOver()) await turn.next();
    const values = types.map(({ read }, at) => {
      const text = row[at + OWN_COLUMNS];
      return text === null || text === undefined ? null : read(text);
    });
    results.push(
      rowMode === "array"
        ? values
        : Object.fromEntries(names.map((name, at) => [name, values[at]])),
    );
  }
  return {
    columns: types.map(({ name: type }, at) => ({ name: names[at] ?? "", type })),
    rows: results,
    rowCount: visible.length,
    truncated: total > visible.length,
  };
}

/** Makes names unique: the second gets `_2`, the third `_3`. */
function uniqueNames(names: readonly string[]): string[] {
  const given = new Set(names);
  const taken = new Set<string>();
  /** The next number per name, for duplicates. */
  const next = new Map<string, number>();
  return names.map((name) => {
    let free = name;
    while (taken.has(free) || (free !== name && given.has(free))) {
      const count = next.get(name) ?? 2;
      next.set(name, count + 1);
      free = `${name}_${count}`;
    }
    taken.add(free);
    return free;
  });
}
