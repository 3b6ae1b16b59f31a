/** The statements that stay prepared on a connection: each takes memory of the server. */
export const PREPARED_MAX = 4_500;
/** Of one generation; there are two. */
const GENERATION_NAMES_MAX = PREPARED_MAX / 2;

/** The names of texts that were sent again: the current generation, and the one before. */
let [names, previousNames] = [new Map<string, string>(), new Map<string, string>()];
/** Texts that were sent once; filters of people make many that never come again. */
const seenOnce = new Set<string>();
/** A name is never used twice: connections keep the statement that it once named. */
let nameCount = 0;

/**
 * In the text of a statement that is planned each time: the plan that PostgreSQL keeps for any values takes none of
 * them for frequent.
 */
export const PLANNED_ANEW = "/* planned anew */";

/** Names a statement that is sent again, so that PostgreSQL parses and plans it once a connection. */
export function statementName(text: string): string | undefined {
  const name = names.get(text);
  if (name !== undefined) return name;
  const previous = previousNames.get(text);
  if (previous !== undefined) return addName(text, previous);
  if (text.includes(PLANNED_ANEW)) return undefined;
  if (!seenOnce.delete(text)) {
    if (seenOnce.size >= PREPARED_MAX) seenOnce.clear();
    seenOnce.add(text);
    return undefined;
  }
  nameCount += 1;
  return addName(text, `s${nameCount}`);
}

/** Tables and filters of people make ever new texts. Those that were not used for a generation are dropped. */
function addName(text: string, name: string): string {
  if (names.size >= GENERATION_NAMES_MAX) [names, previousNames] = [new Map(), names];
  names.set(text, name);
  return name;
}
