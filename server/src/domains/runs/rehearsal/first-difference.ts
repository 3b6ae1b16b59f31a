/** The first difference between two JSON values. */
export interface ValueDifference {
  /** A JSON pointer. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const CHARACTERS_MAX = 2_000;

/** Finds the first difference between two JSON values. A missing field equals null. */
export function firstDifference(before: unknown, after: unknown): ValueDifference | undefined {
  return findDifference(before ?? null, after ?? null, "");
}

function findDifference(
  before: unknown,
  after: unknown,
  path: string,
): ValueDifference | undefined {
  if (before === after) return undefined;
  if (!isContainer(before) || !isContainer(after) || isList(before) !== isList(after)) {
    return { path, before: cutValue(before), after: cutValue(after) };
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) {
    const [left, right] = [readMember(before, name), readMember(after, name)];
    const found = findDifference(left, right, `${path}/${escapeToken(name)}`);
    if (found) return found;
  }
  return undefined;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function readMember(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

function escapeToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Shortens a large value to the start of its JSON. */
export function cutValue(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text.length <= CHARACTERS_MAX) return value;
  return `${(typeof value === "string" ? value : text).slice(0, CHARACTERS_MAX)}…`;
}
