/** Groups permissions by area: `incidents:read` and `incidents:write` belong to `incidents`. */
export interface ScopeArea {
  readonly area: string;
  readonly scopes: readonly string[];
}

export function groupScopes(scopes: readonly string[]): readonly ScopeArea[] {
  const byArea = Map.groupBy(scopes, areaOf);
  return [...byArea]
    .map(([area, own]) => ({ area, scopes: own.toSorted() }))
    .toSorted((one, other) => one.area.localeCompare(other.area, "en"));
}

export function areaOf(scope: string): string {
  return scope.split(":", 1)[0] ?? scope;
}

/** Returns a short list: `incidents:read, tables:read and 12 more`. */
export function summariseScopes(scopes: readonly string[], shownMax = 3): string {
  const shown = scopes.slice(0, shownMax).join(", ");
  const rest = scopes.length - shownMax;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
