/** Words that stand for no value, and for true and false, in several languages. */

const EMPTY: ReadonlySet<string> = new Set([
  "",
  "-",
  "--",
  "–",
  "—",
  "n/a",
  "na",
  "#n/a",
  "#ref!",
  "#div/0!",
  "#value!",
  "null",
  "nil",
  "none",
  "k.a.",
  "k. a.",
  "?",
  ".",
  "nan",
]);

const TRUE: ReadonlySet<string> = new Set([
  "true",
  "yes",
  "y",
  "ja",
  "j",
  "oui",
  "o",
  "si",
  "sí",
  "sim",
  "wahr",
  "vrai",
  "vero",
  "verdadero",
  "x",
  "on",
  "tak",
  "✓",
  "✔",
  "☑",
]);
const FALSE: ReadonlySet<string> = new Set([
  "false",
  "no",
  "n",
  "nein",
  "non",
  "não",
  "nao",
  "nee",
  "falsch",
  "faux",
  "falso",
  "off",
  "nie",
  "☐",
]);

/** True for a text that says that there is nothing. */
export function isEmptyWord(text: string): boolean {
  return text.length <= 8 && EMPTY.has(text.trim().toLowerCase());
}

/** The truth value that a word means; undefined for any other text. */
export function parseTruth(text: string): boolean | undefined {
  if (text.length > 12) return undefined;
  const word = text.trim().toLowerCase();
  if (TRUE.has(word) || word === "1") return true;
  return FALSE.has(word) || word === "0" ? false : undefined;
}
