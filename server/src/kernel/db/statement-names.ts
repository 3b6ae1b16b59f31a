/** So many statements stay prepared on a connection at most: each takes memory of the server's. */
export const PREPARED_MAX = 4_500;
/** There are two generations of names. */
const NAMES_MAX = PREPARED_MAX / 2;

/** What each text that came again is prepared as: those in use, and those that were before there were too many. */
let [names, before] = [new Map<string, string>(), new Map<string, string>()];
/** Texts that were sent once; filters of people make many that never come again. */
const seenOnce = new Set<string>();
/** A name is never given twice: connections hold on to what it once stood for. */
let given = 0;

/** A statement text that comes again gets a name, so that PostgreSQL parses and plans it once a connection. */
export function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  const former = before.get(text);
  if (former !== undefined) return keep(text, former);
  if (!seenOnce.delete(text)) {
    if (seenOnce.size >= PREPARED_MAX) seenOnce.clear();
    seenOnce.add(text);
    return undefined;
  }
  given += 1;
  return keep(text, `s${given}`);
}

/** Tables and filters of people make ever new texts. Those that nobody used for a generation are forgotten. */
function keep(text: string, name: string): string {
  if (names.size >= NAMES_MAX) [names, before] = [new Map(), names];
  names.set(text, name);
  return name;
}
