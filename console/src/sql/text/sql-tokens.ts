/** Reads SQL as far as an editor needs it: where texts and comments are, which tables and parameters it names. */

/** Texts, quoted names and comments; a text that nobody has closed yet goes to the end. */
const QUIET =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|\$([A-Za-z_]\w*)?\$[\s\S]*?(?:\$\1\$|$)/g;

/** The statement with blanks in the place of texts and comments: every place keeps its number. */
export function blankTexts(sql: string): string {
  return sql.replaceAll(QUIET, (part) => part.replaceAll(/[^\n]/g, " "));
}

/** True where a caret behind this text stands in a text or a comment. */
export function isInText(before: string): boolean {
  const last = [...before.matchAll(QUIET)].at(-1);
  if (!last || last.index + last[0].length < before.length) return false;
  const [part] = last;
  if (part.startsWith("--")) return true;
  if (part.startsWith("/*")) return !part.endsWith("*/") || part.length < 4;
  if (part.startsWith("'")) return (part.match(/'/g)?.length ?? 0) % 2 === 1;
  const [, tag = ""] = last;
  const mark = `$${tag}$`;
  return !part.endsWith(mark) || part.length < 2 * mark.length;
}

/** The numbers of `$1`, `$2` … in their order, without gaps. */
export function findParameters(sql: string): readonly number[] {
  const named = [...blankTexts(sql).matchAll(/\$(\d{1,3})/g)].map(([, digits]) => Number(digits));
  const last = Math.min(100, Math.max(0, ...named));
  return Array.from({ length: last }, (_, n) => n + 1);
}

const NAME = String.raw`(?:"[^"]+"|[A-Za-z_]\w*)`;
const FROM = new RegExp(
  String.raw`(?:\bfrom|\bjoin|,)\s+(${NAME})(?:\s+(?:as\s+)?(?!on\b|where\b|using\b|join\b|left\b|right\b|inner\b|full\b|cross\b|group\b|order\b|limit\b|natural\b|union\b|having\b|window\b|offset\b)(${NAME}))?`,
  "gi",
);

const unquote = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase();

/** The tables that a statement names, by what it calls them. */
export function findAliases(sql: string): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (const [, table = "", alias] of blankTexts(sql).matchAll(FROM)) {
    aliases.set(unquote(table), unquote(table));
    if (alias !== undefined) aliases.set(unquote(alias), unquote(table));
  }
  return aliases;
}

/** A name as a statement must write it. */
export function quoteName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A value as a statement may write it. */
export function quoteValue(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}
