/** So many statements stay prepared on a connection at most: each takes memory of the server's. */
export const PREPARED_MAX = 4_500;

/** What each text that came again is prepared as. */
let names = new Map<string, string>();
/** Texts that were sent once; filters of people make many that never come again. */
const seenOnce = new Set<string>();
/** A name is never given twice: connections hold on to what it once stood for. */
let given = 0;

/** A statement text that comes again gets a name, so that PostgreSQL parses and plans it once a connection. */
export function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (!seenOnce.delete(text)) {
    if (seenOnce.size >= PREPARED_MAX) seenOnce.clear();
    seenOnce.add(text);
    return undefined;
  }
  // Tables and filters of people make ever new texts. Rarely enough, those in use are prepared once more.
  if (names.size >= PREPARED_MAX) names = new Map();
  given += 1;
  const name = `s${given}`;
  names.set(text, name);
  return name;
}
