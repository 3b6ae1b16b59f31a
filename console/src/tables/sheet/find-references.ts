import { call } from "../../data/api.ts";
import { type GridColumn, linkTargetOf, targetOf } from "../column/column.ts";
import { nameIn } from "../column/value.ts";
import type { Cells } from "../../ui/readable/cells.ts";
import { type Sheet, splitNames } from "./cell-acts.ts";

const NAMES_MAX = 200;

/** Finds the records that pasted names stand for; a name that two have stands for neither. */
export async function findReferences(
  { columns, book }: Sheet,
  left: number,
  cells: Cells,
): Promise<(column: GridColumn, name: string) => string | undefined> {
  const ids = new Map<string, string>();
  for (const [id, name] of book.names) ids.set(name.toLowerCase(), id);
  const width = Math.max(...cells.map((row) => row.length), 0);
  for (let n = 0; n < width; n += 1) {
    const column = columns[left + n];
    const target = column && (targetOf(column) ?? linkTargetOf(column));
    if (target === undefined) continue;
    const wanted = new Set(
      cells
        .flatMap((row) => splitNames(row[n] ?? ""))
        .filter((name) => name !== "" && !ids.has(name.toLowerCase())),
    );
    if (wanted.size === 0) continue;
    for (const record of await readNamed(target, [...wanted].slice(0, NAMES_MAX))) {
      const name = nameIn(record);
      if (name !== undefined) ids.set(name.toLowerCase(), record.id);
    }
  }
  return (_, name) => ids.get(name.toLowerCase());
}

async function readNamed(
  target: string,
  names: readonly string[],
): Promise<readonly { readonly id: string }[]> {
  if (target === "users") return (await call("users.list", { query: { limit: 200 } })).data;
  const { data: table } = await call("tables.get", { params: { slug: target } });
  const title = table.columns.find(({ type }) => type === "text")?.name;
  if (title === undefined) return [];
  const filter = JSON.stringify({ [title]: { in: names } });
  return (await call("records.list", { params: { slug: target }, query: { filter, limit: 200 } }))
    .data;
}
