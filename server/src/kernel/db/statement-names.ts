/** The maximum number of prepared statements per connection. Each uses server memory. */
export const PREPARED_MAX = 4_500;
/** The size of one generation; two are kept. */
const GENERATION_NAMES_MAX = PREPARED_MAX / 2;

/** Names of repeated texts: the current generation and the previous one. */
let [names, previousNames] = [new Map<string, string>(), new Map<string, string>()];
/** Texts sent once. Filters by users create many that are never repeated. */
const seenOnce = new Set<string>();
/** Names are never reused, because connections keep the statement of a name. */
let nameCount = 0;

/** Added to statements that must be planned each time: PostgreSQL's generic plan does not consider frequent values. */
export const PLANNED_ANEW = "/* planned anew */";

/** Names a repeated statement, so that PostgreSQL parses and plans it once per connection. */
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

/** Tables and filters of users create new texts continuously. Texts unused for a generation are dropped. */
function addName(text: string, name: string): string {
  if (names.size >= GENERATION_NAMES_MAX) [names, previousNames] = [new Map(), names];
  names.set(text, name);
  return name;
}
