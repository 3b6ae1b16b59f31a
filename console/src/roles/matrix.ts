/** Roles and permissions as a matrix, and the effect of changes. */
export interface MatrixRole {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
}

export interface MatrixPermission {
  readonly name: string;
  readonly summary: string;
}

export interface MatrixArea {
  readonly area: string;
  readonly permissions: readonly MatrixPermission[];
}

const areaOf = (name: string): string => name.split(":", 1)[0] ?? name;

/** Groups permissions by area, filtered by words in their name or summary. */
export function groupPermissions(
  permissions: readonly MatrixPermission[],
  text: string,
): readonly MatrixArea[] {
  const words = text.trim().toLowerCase();
  const found = permissions.filter(({ name, summary }) =>
    `${name} ${summary}`.toLowerCase().includes(words),
  );
  const byArea = Map.groupBy(found, ({ name }) => areaOf(name));
  return [...byArea]
    .map(([area, own]) => ({ area, permissions: own }))
    .toSorted((one, other) => one.area.localeCompare(other.area, "en"));
}

/** Expands a role's entries such as `incidents:*` and `*` to permissions. */
export function expandEntries(
  entries: readonly string[],
  catalog: readonly string[],
): ReadonlySet<string> {
  return new Set(
    catalog.filter((name) =>
      entries.some((entry) => entry === "*" || entry === name || entry === `${areaOf(name)}:*`),
    ),
  );
}

export interface RoleDiff {
  readonly added: readonly string[];
  readonly taken: readonly string[];
}

/** Returns the added and removed permissions of a change, not its entries. */
export function diffRole(
  before: readonly string[],
  after: readonly string[],
  catalog: readonly string[],
): RoleDiff {
  const [old, next] = [expandEntries(before, catalog), expandEntries(after, catalog)];
  return {
    added: catalog.filter((name) => next.has(name) && !old.has(name)),
    taken: catalog.filter((name) => old.has(name) && !next.has(name)),
  };
}
