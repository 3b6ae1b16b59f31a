/** The event types of the platform for a picker: by namespace, with search. */
import type { Schemas } from "../../data/api.ts";

type EventKind = Pick<Schemas["EventType"], "type" | "summary">;

export interface EventGroup {
  /** `incident` or `audit.role`. */
  readonly namespace: string;
  /** The pattern for all types. */
  readonly pattern: string;
  readonly types: readonly EventKind[];
}

export function groupTypes(types: readonly EventKind[], words: string): readonly EventGroup[] {
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found = types.filter(({ type, summary }) =>
    wanted.every((word) => `${type} ${summary}`.toLowerCase().includes(word)),
  );
  const groups = Map.groupBy(found, ({ type }) => type.slice(0, type.lastIndexOf(".")));
  return [...groups]
    .map(([namespace, some]) => ({
      namespace,
      pattern: `${namespace}.*`,
      types: some.toSorted((one, other) => one.type.localeCompare(other.type)),
    }))
    .toSorted((one, other) => one.namespace.localeCompare(other.namespace));
}

/** Returns whether a pattern matches a type: `*` is any sequence of words. */
export function takes(pattern: string, type: string): boolean {
  if (pattern === type || pattern === "*") return true;
  return pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1));
}

/** Adds or removes a pattern; a pattern for a namespace replaces its types. */
export function togglePattern(patterns: readonly string[], pattern: string): readonly string[] {
  if (patterns.includes(pattern)) return patterns.filter((one) => one !== pattern);
  return [...patterns.filter((one) => !takes(pattern, one)), pattern];
}
