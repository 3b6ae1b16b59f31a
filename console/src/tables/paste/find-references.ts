/** Finds the records and people that pasted names refer to. */
import { call } from "../../data/api.ts";
import { type GridColumn, linkTargetOf, targetOf } from "../column/column.ts";
import type { Cells } from "../../ui/readable/cells.ts";
import type { Sheet } from "../sheet/cell-acts.ts";

const NAMES_AT_ONCE = 50;
const PAGE = 200;
const PAGES_MAX = 20;

/** Returns the id for a name in a column, or an error message. */
export type FindId = (
  column: GridColumn,
  name: string,
) => { readonly id: string } | { readonly error: string };

/** Lower-case names to ids; a name shared by two records matches neither. */
type Names = Map<string, Set<string>>;

/** Splits the names in a cell of links. */
export function splitNames(text: string): readonly string[] {
  return text
    .split(/[;\n]/)
    .map((name) => name.trim())
    .filter(Boolean);
}

export async function findReferences(
  { columns, book }: Sheet,
  left: number,
  cells: Cells,
): Promise<FindId> {
  const found = new Map<string, Names>();
  const width = Math.max(...cells.map((row) => row.length), 0);
  for (let n = 0; n < width; n += 1) {
    const column = columns[left + n];
    if (!column || column.readOnly !== undefined) continue;
    const target = targetOf(column) ?? linkTargetOf(column);
    if (target === undefined) continue;
    const texts = cells.flatMap((row) => row[n] ?? []);
    const wanted = new Set(
      column.type === "links" ? texts.flatMap(splitNames) : texts.map((text) => text.trim()),
    );
    wanted.delete("");
    const names = found.get(target) ?? new Map<string, Set<string>>();
    found.set(target, names);
    const keep = (id: string, name: string): void => {
      names.set(name.toLowerCase(), (names.get(name.toLowerCase()) ?? new Set()).add(id));
    };
    if (wanted.size === 0) continue;
    if (target === "users") await readPeople((id, name) => book.setName(id, name), keep);
    else
      await readNamed(target, [...wanted], (id, name) => {
        keep(id, name);
        // Caches the name, so that the grid can display it.
        book.setName(id, name);
      });
  }
  return (column, name) => {
    const ids = [
      ...(found.get(targetOf(column) ?? linkTargetOf(column) ?? "")?.get(name.toLowerCase()) ?? []),
    ];
    const [id] = ids;
    if (id === undefined) return { error: `No record or person found for “${name}”.` };
    if (ids.length > 1)
      return {
        error: `${ids.length} matches for “${name}”. Use the id or e-mail address instead.`,
      };
    return { id };
  };
}

type Keep = (id: string, name: string) => void;

/** Finds people by name and e-mail address. */
async function readPeople(show: Keep, keep: Keep): Promise<void> {
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { limit: PAGE, ...(after !== undefined && { after }) };
    const { data, pagination } = await call("users.list", { query });
    for (const { id, name, email } of data) {
      keep(id, name);
      if (email.toLowerCase() !== name.toLowerCase()) keep(id, email);
      show(id, name);
    }
    if (pagination.nextCursor === null) return;
    after = pagination.nextCursor;
  }
}

async function readNamed(target: string, names: readonly string[], keep: Keep): Promise<void> {
  const { data: table } = await call("tables.get", { params: { slug: target } });
  const title = table.columns.find(({ type }) => type === "text")?.name;
  if (title === undefined) return;
  for (let n = 0; n < names.length; n += NAMES_AT_ONCE) {
    const filter = JSON.stringify({ [title]: { in: names.slice(n, n + NAMES_AT_ONCE) } });
    const query = { filter, fields: title, limit: PAGE };
    const { data } = await call("records.list", { params: { slug: target }, query });
    for (const record of data) {
      const name = (record as Readonly<Record<string, unknown>>)[title];
      if (typeof name === "string") keep(record.id, name);
    }
  }
}
