/** What an outcome has that was not expected, and the other way round. */
export interface Difference {
  /** A JSON pointer into the output. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

const DIFFERENCES_MAX = 100;

/** Every place where two JSON values differ, by its path. */
export function differencesOf(expected: unknown, actual: unknown): Difference[] {
  const found: Difference[] = [];
  compare(found, "", expected, actual);
  return found;
}

function compare(found: Difference[], path: string, expected: unknown, actual: unknown): void {
  if (found.length >= DIFFERENCES_MAX || Object.is(expected, actual)) return;
  const [mine, theirs] = [membersOf(expected), membersOf(actual)];
  if (!mine || !theirs || Array.isArray(expected) !== Array.isArray(actual)) {
    found.push({ path, expected: expected ?? null, actual: actual ?? null });
    return;
  }
  for (const name of [...new Set([...mine.keys(), ...theirs.keys()])].toSorted()) {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    compare(found, at, mine.get(name), theirs.get(name));
  }
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}
