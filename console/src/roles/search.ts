export interface RolesSearch {
  /** The person to explain. */
  readonly person?: string | undefined;
  readonly operation?: string | undefined;
  readonly thing?: string | undefined;
  readonly environment?: "staging" | "development" | undefined;
}

export function readRolesSearch(search: Readonly<Record<string, unknown>>): RolesSearch {
  const { environment } = search;
  return {
    person: textOf(search["person"]),
    operation: textOf(search["operation"]),
    thing: textOf(search["thing"]),
    environment:
      environment === "staging" || environment === "development" ? environment : undefined,
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
