/** Updates views when a column is renamed: their filter, sort, groups, columns and form. */
import { type ColumnFollower, renameInCondition } from "#domains/tables/index.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { TableView } from "./view.ts";

const READ = `
  select id, filter, sort, group_by as "groupBy", date_field as "dateField", hidden, columns, widths, summaries, form
    from table_views where table_slug = $1 for update`;
const WRITE = `
  update table_views set filter = $2, sort = $3, group_by = $4, date_field = $5, hidden = $6, columns = $7,
         widths = $8, summaries = $9, form = $10, revision = revision + 1
   where id = $1`;

type Stored = Pick<
  TableView,
  | "id"
  | "filter"
  | "sort"
  | "groupBy"
  | "dateField"
  | "hidden"
  | "columns"
  | "widths"
  | "summaries"
  | "form"
>;

export const viewFollower: ColumnFollower = {
  async rename(tx, { table, from, to }) {
    const rename = (path: string): string => renamePath(path, from, to);
    for (const row of await queryRows(tx, READ, [table])) {
      // The columns have the names of the fields.
      const before = row as unknown as Stored;
      const after = renameInView(before, rename);
      if (JSON.stringify(after) === JSON.stringify(before)) continue;
      await queryRows(tx, WRITE, [
        after.id,
        JSON.stringify(after.filter),
        after.sort,
        after.groupBy,
        after.dateField,
        after.hidden,
        after.columns,
        JSON.stringify(after.widths),
        JSON.stringify(after.summaries),
        JSON.stringify(after.form),
      ]);
    }
  },
};

/** A path starts with a column name; a descending sort starts with a minus. */
function renamePath(path: string, from: string, to: string): string {
  const sign = path.startsWith("-") ? "-" : "";
  const [name = "", ...rest] = path.slice(sign.length).split(".");
  return sign + [name === from ? to : name, ...rest].join(".");
}

function renameInView(view: Stored, rename: (path: string) => string): Stored {
  const renameKeys = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [rename(name), value]));
  const { form } = view;
  return {
    id: view.id,
    filter: renameInCondition(view.filter, rename),
    sort: view.sort === "" ? "" : view.sort.split(",").map(rename).join(","),
    groupBy: view.groupBy === null ? null : rename(view.groupBy),
    dateField: view.dateField === null ? null : rename(view.dateField),
    hidden: view.hidden.map(rename),
    columns: view.columns.map(rename),
    widths: renameKeys(view.widths),
    summaries: renameKeys(view.summaries),
    form: { ...form, fields: (form.fields ?? []).map((f) => ({ ...f, name: rename(f.name) })) },
  };
}
