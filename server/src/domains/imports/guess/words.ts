/** Words for missing values and for true and false, in several languages. */

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

/** True for a text that means an empty value. */
export function isEmptyWord(text: string): boolean {
  return text.length <= 8 && EMPTY.has(text.trim().toLowerCase());
}

/** The boolean meaning of a word. Undefined for any other text. */
export function parseTruth(text: string): boolean | undefined {
  if (text.length > 12) return undefined;
  const word = text.trim().toLowerCase();
  if (TRUE.has(word) || word === "1") return true;
  return FALSE.has(word) || word === "0" ? false : undefined;
}
