/** Sample values for the console. Large values are cut so that the response stays small. */

const TEXT_CHARACTERS_MAX = 500;
const MEMBERS_MAX = 50;
const DEPTH_MAX = 8;

/** A value, cut if it was too large. */
export interface Sample {
  readonly value: unknown;
  readonly truncated: boolean;
}

/** Cuts a value with longer JSON: long strings, long lists and deep nesting. */
export function cutValue(value: unknown, charactersMax: number): Sample {
  if (fits(value, charactersMax)) return { value, truncated: false };
  // Limits shrink every round. The last round mostly keeps field names.
  for (const share of [1, 4, 16, 64]) {
    const limits = {
      text: Math.max(16, TEXT_CHARACTERS_MAX / share),
      members: Math.max(2, Math.floor(MEMBERS_MAX / share)),
      depth: Math.max(2, Math.floor(DEPTH_MAX / Math.sqrt(share))),
    };
    const cut = cutDeep(value, limits, 0);
    if (fits(cut, charactersMax)) return { value: cut, truncated: true };
  }
  return { value: null, truncated: true };
}

/** The JSON type of a value; `nothing` for an expression without a value. */
export function typeOfValue(value: unknown) {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

interface Limits {
  readonly text: number;
  readonly members: number;
  readonly depth: number;
}

function cutDeep(value: unknown, limits: Limits, depth: number): unknown {
  if (typeof value === "string") {
    return value.length > limits.text ? `${value.slice(0, limits.text)}…` : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= limits.depth) return Array.isArray(value) ? [] : {};
  if (Array.isArray(value)) {
    return value.slice(0, limits.members).map((one) => cutDeep(one, limits, depth + 1));
  }
  const entries = Object.entries(value).slice(0, limits.members);
  return Object.fromEntries(
    entries.map(([name, one]) => [name.slice(0, 200), cutDeep(one, limits, depth + 1)]),
  );
}

function fits(value: unknown, charactersMax: number): boolean {
  return (JSON.stringify(value) ?? "").length <= charactersMax;
}
