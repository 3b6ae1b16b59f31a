/** Tokenizes SQL for the editor: strings, comments, tables and parameters. */

/** Strings, quoted names and comments; an unclosed string extends to the end. */
const QUIET =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|\$([A-Za-z_]\w*)?\$[\s\S]*?(?:\$\1\$|$)/g;

/** Replaces strings and comments by spaces, so that positions do not change. */
export function blankTexts(sql: string): string {
  return sql.replaceAll(QUIET, (part) => part.replaceAll(/[^\n]/g, " "));
}

/** Returns whether a caret after this text is in a string or comment. */
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

/** Returns the numbers of `$1`, `$2` … in order, without gaps. */
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

/** Returns the tables in a statement by their aliases. */
export function findAliases(sql: string): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (const [, table = "", alias] of blankTexts(sql).matchAll(FROM)) {
    aliases.set(unquote(table), unquote(table));
    if (alias !== undefined) aliases.set(unquote(alias), unquote(table));
  }
  return aliases;
}

/** Quotes a name if necessary. */
export function quoteName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Formats a value as a SQL literal. */
export function quoteValue(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}
