/** Titles of columns, which users see, and their names in the API. */
import type { FieldError } from "#kernel/operation/failure.ts";
import { TITLE_CHARACTERS_MAX } from "../../table.ts";
import { isReserved } from "./reserved-names.ts";

const NAME_CHARACTERS_MAX = 40;

/**
 * The default title of a column: `orderedAt` and `ordered_at` become "Ordered at". Words in capitals are kept, so
 * `sKU`, as earlier releases imported `SKU`, becomes "SKU".
 */
export function titleFromName(name: string): string {
  const words = name
    .replace(/^[a-z](?=[A-Z]{2,}(?:[A-Z][a-z]|$|[^A-Za-z]))/, (letter) => letter.toUpperCase())
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim()
    .replaceAll(/ [A-Z](?=[a-z])/g, (start) => start.toLowerCase())
    .replaceAll(/\be mail\b/gi, (_, at: number) => (at === 0 ? "E-mail" : "e-mail"));
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  // After its first letter, a name may consist of underscores only.
  return title === "" ? name : title;
}

/** The title of a system field. */
export function systemTitle(name: string): string {
  return name === "id" ? "ID" : titleFromName(name);
}

/** Truncates a text to the maximum length of a title. */
export function cutTitle(text: string, charactersMax = TITLE_CHARACTERS_MAX): string {
  if (text.length <= charactersMax) return text;
  // Truncation must not split a surrogate pair.
  return `${text.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Headers of a file as distinct titles: the second "Name" becomes "Name (2)". Empty ones stay empty. */
export function distinctTitles(headers: readonly string[]): readonly string[] {
  const taken = new Set(headers.map((header) => header.trim()));
  const seen = new Set<string>();
  return headers.map((header) => {
    const key = header.trim();
    if (key === "") return header;
    if (!seen.has(key)) {
      seen.add(key);
      return header;
    }
    let title = key;
    for (let count = 2; taken.has(title); count += 1) {
      const suffix = ` (${count})`;
      title = cutTitle(key, TITLE_CHARACTERS_MAX - suffix.length) + suffix;
    }
    taken.add(title);
    return title;
  });
}

/** Letters that Unicode does not decompose into a Latin letter and a mark. */
const LATIN_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: "ss",
    æ: "ae",
    Æ: "Ae",
    œ: "oe",
    Œ: "Oe",
    ø: "o",
    Ø: "O",
    ł: "l",
    Ł: "L",
    đ: "d",
    Đ: "D",
    ð: "d",
    þ: "th",
    ı: "i",
  }),
);
/** Names for titles that consist only of symbols. */
const SYMBOL_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "#": "number",
    "№": "number",
    "%": "percent",
    "€": "euros",
    $: "dollars",
    "£": "pounds",
  }),
);

/**
 * `Order date` becomes `orderDate`, `SKU` becomes `sku`; empty if the title has no letter or digit that is allowed
 * in a name.
 */
export function nameFromTitle(title: string): string {
  const symbol = SYMBOL_NAMES.get(title.trim());
  if (symbol !== undefined) return symbol;
  const words = title
    .replaceAll(/\be-mail/gi, "email")
    .replaceAll(/[^\0-\x7F]/g, (letter) => LATIN_LETTERS.get(letter) ?? letter)
    .normalize("NFKD")
    .replaceAll(/[\p{M}'’]/gu, "")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  const joined = words
    .map((word, index) => {
      // All words after the first start with a capital, so only the first is lowercased.
      const rest = word === word.toUpperCase() ? word.toLowerCase() : word;
      if (index > 0) return rest.charAt(0).toUpperCase() + rest.slice(1);
      return rest.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (start) => start.toLowerCase());
    })
    .join("");
  return (/^\d/.test(joined) ? `n${joined}` : joined).slice(0, NAME_CHARACTERS_MAX);
}

/** Derives valid, unique names from titles, in order. Names in `taken` are not used. */
export function nameTitles(titles: readonly string[], taken: Iterable<string> = []): string[] {
  const names = new Set([...taken].map((name) => name.toLowerCase()));
  const first = names.size + 1;
  return titles.map((title, index) => {
    const base = nameFromTitle(title) || `column${first + index}`;
    // Separates a digit at the end of the title from the appended number.
    const separator = /\d$/.test(base) ? "_" : "";
    let name = base;
    for (let count = 2; names.has(name.toLowerCase()) || isReserved(name); count += 1) {
      name = `${base}${separator}${count}`;
    }
    names.add(name.toLowerCase());
    return name;
  });
}

interface Named {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
}

/** Names each column that has only a title; one without name and title is an error below `path`. */
export function nameColumns<T extends Named>(
  inputs: readonly T[],
  { path, taken = [] }: { readonly path: string; readonly taken?: Iterable<string> },
): { readonly columns: (T & { name: string })[]; readonly errors: readonly FieldError[] } {
  const errors = inputs.flatMap(({ name, title }, index) =>
    name === undefined && title === undefined
      ? [{ path: `${path}/${index}/name`, message: "is required without a title" }]
      : [],
  );
  const given = inputs.flatMap(({ name }) => name ?? []);
  const untitled = inputs.filter(({ name }) => name === undefined);
  const derived = nameTitles(
    untitled.map(({ title }) => title ?? ""),
    [...taken, ...given],
  ).values();
  const columns = inputs.map((input) => ({
    ...input,
    name: input.name ?? derived.next().value ?? "",
  }));
  return { columns, errors };
}
