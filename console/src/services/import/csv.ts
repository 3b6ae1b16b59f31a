/** Parses items from a spreadsheet and maps its columns. */

export interface CsvTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Parses text separated by commas, semicolons or tabs; quoted cells may contain separators. */
export function parseTable(text: string): CsvTable {
  const first = text.slice(0, text.search(/\r?\n|$/));
  const separator =
    ["\t", ";", ","].toSorted((a, b) => countOf(first, b) - countOf(first, a))[0] ?? ",";
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"' && cell === "") isQuoted = true;
    else if (letter === separator || letter === "\n") {
      rows.at(-1)?.push(cell.trim());
      cell = "";
      if (letter === "\n") rows.push([]);
    } else cell += letter;
  }
  rows.at(-1)?.push(cell.trim());
  const [header = [], ...rest] = rows.filter((row) => row.some((one) => one !== ""));
  return { header, rows: rest };
}

const countOf = (text: string, letter: string): number => text.split(letter).length - 1;

/** Fields for mapping columns. Other columns can be attributes. */
export const FIELDS = ["name", "class", "key", "status", "description"] as const;
export type Target = (typeof FIELDS)[number] | "attribute" | "nothing";

const GUESSES: readonly (readonly [Target, RegExp])[] = [
  ["name", /^(name|hostname|host|title|ci)$/i],
  ["class", /^(class|type|kind|category)$/i],
  ["key", /^(key|id|external.?id|asset.?(tag|id)|serial.*)$/i],
  ["status", /^(status|state)$/i],
  ["description", /^(description|comment|notes?)$/i],
];

/** Guesses the mapping of columns. If two columns match one field, the first wins. */
export function guessMapping(header: readonly string[]): readonly Target[] {
  const taken = new Set<Target>();
  return header.map((title) => {
    const guess = GUESSES.find(([field, words]) => !taken.has(field) && words.test(title))?.[0];
    if (guess) taken.add(guess);
    return guess ?? "attribute";
  });
}

/** Converts a table to items. Rows without a key are identified by name. */
export function toItems(
  { header, rows }: CsvTable,
  mapping: readonly Target[],
  fallbackClass: string,
): readonly Readonly<Record<string, unknown>>[] {
  return rows.map((row) => {
    const item: Record<string, unknown> = {};
    const attributes: Record<string, string> = {};
    for (const [n, target] of mapping.entries()) {
      const value = row[n] ?? "";
      if (value === "" || target === "nothing") continue;
      if (target === "attribute") attributes[toAttributeName(header[n] ?? "")] = value;
      else item[target] = target === "class" || target === "status" ? toName(value) : value;
    }
    return {
      class: fallbackClass,
      key: item["name"],
      ...item,
      ...(Object.keys(attributes).length > 0 && { attributes }),
    };
  });
}

const toName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");

/** Converts `IP address` to `ipAddress`. */
function toAttributeName(title: string): string {
  const [first = "", ...rest] = title
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  return [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
}
