/** The first line of a CSV file: titles of columns, as people know them, or their names. */
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

/** A title that also means another field, with the name of its own field behind it: `Order [order2]`. */
const NAMED_TITLE = /^(.*) \[(\w+)\]$/s;
const nameTitle = (title: string, name: string): string => `${title.trim()} [${name}]`;

/**
 * The field that each cell of a header means: the column with the title or, where there is none, with the name. Of
 * several columns with one title, the first is meant first. Undefined where it means none.
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
    // An import of equal headers into a new table numbers their titles.
    const numbered = distinct[index] === cell ? undefined : byTitle.get(distinct[index] ?? "");
    const titled = numbered ?? byTitle.get(key);
    const next = titled && titled.length > 1 ? titled.shift() : titled?.[0];
    return next ?? (titles.has(key) ? key : undefined);
  });
}

/**
 * The header of a file with these fields: each has its title. Where an import would read it as another's, it has its
 * name, and where that is another's title, both.
 */
export function formatHeader(schema: Titles, fields: readonly string[]): readonly string[] {
  const titles = titlesByName(schema);
  // A path through references has no title of its own, and no import reads it.
  const header = fields.map((field) => titles.get(field) ?? field);
  const forms = fields.map((field, index) => ({
    meant: titles.has(field) ? field : undefined,
    left: [field, nameTitle(header[index] ?? field, field)],
  }));
  // One cell changes what others mean, so all are read again after each change. Each changes twice at most.
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

/** The titles of all fields by name: columns of people come before those of the platform. */
function titlesByName({ columns, computed, columnNames }: Titles): ReadonlyMap<string, string> {
  const titles = new Map(
    [...columns, ...computed.values()].map(({ name, title }) => [name, title]),
  );
  return new Map([
    ...columnNames.map((name): [string, string] => [name, titles.get(name) ?? name]),
    ...SYSTEM_COLUMNS.map(([name]): [string, string] => [name, systemTitle(name)]),
  ]);
}
