/** The first line of a CSV file: titles of columns, as people know them, or their names. */
import {
  distinctTitles,
  SYSTEM_COLUMNS,
  systemTitle,
  type TableSchema,
} from "#domains/tables/index.ts";

type Titles = Pick<TableSchema, "columns" | "computed" | "columnNames">;

/**
 * The field that each cell of a header means: the column with the title or, where there is none, with the name. Of
 * several columns with one title, the first is meant first. Undefined where it means none.
 */
export function fieldsOfHeader(
  schema: Titles,
  header: readonly string[],
): readonly (string | undefined)[] {
  const byTitle = new Map<string, string[]>();
  const names = new Set<string>();
  for (const { name, title } of titledFields(schema)) {
    const key = title.trim();
    byTitle.set(key, [...(byTitle.get(key) ?? []), name]);
    names.add(name);
  }
  const distinct = distinctTitles(header);
  return header.map((cell, index) => {
    const key = cell.trim();
    // An import of equal headers into a new table numbers their titles.
    const numbered = distinct[index] === cell ? undefined : byTitle.get(distinct[index] ?? "");
    const titled = numbered ?? byTitle.get(key);
    const next = titled && titled.length > 1 ? titled.shift() : titled?.[0];
    return next ?? (names.has(key) ? key : undefined);
  });
}

/** The header of a file with these fields: each has its title, unless an import would read it as another's. */
export function formatHeader(schema: Titles, fields: readonly string[]): readonly string[] {
  const titles = new Map(titledFields(schema).map(({ name, title }) => [name, title]));
  // A path through references has no title of its own.
  const header = fields.map((field) => titles.get(field) ?? field);
  const meant = fieldsOfHeader(schema, header);
  return header.map((title, index) => {
    const field = fields[index] ?? title;
    return meant[index] === field ? title : field;
  });
}

/** All columns in the order of an export, except that titles of people count before those of the platform. */
function titledFields({ columns, computed, columnNames }: Titles) {
  const titles = new Map(
    [...columns, ...computed.values()].map(({ name, title }) => [name, title]),
  );
  const own = columnNames.map((name) => ({ name, title: titles.get(name) ?? name }));
  return [...own, ...SYSTEM_COLUMNS.map(([name]) => ({ name, title: systemTitle(name) }))];
}
