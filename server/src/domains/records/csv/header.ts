/** The header line of a CSV file: titles of columns, or their names. */
import Type, { type Static } from "typebox";
import { distinctTitles, SYSTEM_COLUMNS, systemTitle } from "#domains/tables/index.ts";

interface Titled {
  readonly name: string;
  readonly title: string;
}

/** The columns of a table's schema. */
interface Titles {
  readonly columns: readonly Titled[];
  readonly computed: ReadonlyMap<string, Titled>;
  readonly columnNames: readonly string[];
}

export const Header = Type.Enum(["titles", "names"], {
  default: "titles",
  description:
    "The first line of a CSV file: column `titles` or field `names`. With `titles`, an import also accepts field names that are not the title of a column",
});
export type Header = Static<typeof Header>;

/** A title that also matches another field is followed by its field name: `Order [order2]`. */
const NAMED_TITLE = /^(.*) \[(\w+)\]$/s;
const nameTitle = (title: string, name: string): string => `${title.trim()} [${name}]`;

/**
 * Maps each cell of a header to a field: the column with this title, otherwise the column with this name. If
 * several columns share a title, the first one is used first. Undefined if no column matches.
 */
export function fieldsOfHeader(
  schema: Titles,
  header: readonly string[],
  kind: Header = "titles",
): readonly (string | undefined)[] {
  const titles = titlesByName(schema);
  if (kind === "names") {
    return header.map((cell) => (titles.has(cell.trim()) ? cell.trim() : undefined));
  }
  const byTitle = new Map<string, string[]>();
  for (const [name, title] of titles) {
    const key = title.trim();
    byTitle.set(key, [...(byTitle.get(key) ?? []), name]);
  }
  const distinct = distinctTitles(header);
  return header.map((cell, index) => {
    const key = cell.trim();
    const [, title, name = ""] = NAMED_TITLE.exec(key) ?? [];
    if (title !== undefined && titles.get(name)?.trim() === title) return name;
    // An import of duplicate headers into a new table numbers their titles.
    const numbered = distinct[index] === cell ? undefined : byTitle.get(distinct[index] ?? "");
    const titled = numbered ?? byTitle.get(key);
    const next = titled && titled.length > 1 ? titled.shift() : titled?.[0];
    return next ?? (titles.has(key) ? key : undefined);
  });
}

/**
 * Builds the header of a file with these fields. Uses the title; the name if an import would map the title to
 * another field; both if that name is the title of another field.
 */
export function formatHeader(schema: Titles, fields: readonly string[]): readonly string[] {
  const titles = titlesByName(schema);
  // A path through references has no title, and imports do not read it.
  const header = fields.map((field) => titles.get(field) ?? field);
  const forms = fields.map((field, index) => ({
    meant: titles.has(field) ? field : undefined,
    left: [field, nameTitle(header[index] ?? field, field)],
  }));
  // Changing one cell may change the meaning of others, so all are resolved again after each change. Each cell
  // changes at most twice.
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    const read = fieldsOfHeader(schema, header);
    for (const [index, { meant, left }] of forms.entries()) {
      const next = read[index] === meant ? undefined : left.shift();
      if (next === undefined) continue;
      header[index] = next;
      isChanged = true;
    }
  }
  return header;
}

/** The titles of all fields by name. Custom columns precede system columns. */
function titlesByName({ columns, computed, columnNames }: Titles): ReadonlyMap<string, string> {
  const titles = new Map(
    [...columns, ...computed.values()].map(({ name, title }) => [name, title]),
  );
  return new Map([
    ...columnNames.map((name): [string, string] => [name, titles.get(name) ?? name]),
    ...SYSTEM_COLUMNS.map(([name]): [string, string] => [name, systemTitle(name)]),
  ]);
}
