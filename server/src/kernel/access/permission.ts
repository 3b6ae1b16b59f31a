/** The built-in roles of every workspace. `owner` and `admin` hold every permission. */
export const BUILT_IN_ROLES = [
  "owner",
  "admin",
  "builder",
  "agent",
  "change_manager",
  "member",
  "requester",
  "viewer",
  "auditor",
] as const;
export type BuiltInRole = (typeof BUILT_IN_ROLES)[number];

/** A permission, declared by its domain together with the built-in roles that hold it. */
export interface Permission<Name extends string = string> {
  readonly name: Name;
  readonly summary: string;
  readonly roles: readonly BuiltInRole[];
  /** Wider permissions that include this one. */
  readonly impliedBy?: readonly string[];
}

type LimitedRole = Exclude<BuiltInRole, "owner" | "admin">;

/** Roles that work in the product. Requesters only submit and read their requests. */
export const EVERY_ROLE: readonly LimitedRole[] = [
  "builder",
  "agent",
  "change_manager",
  "member",
  "viewer",
  "auditor",
];

/** All roles, including requesters. */
export const EVERYONE: readonly LimitedRole[] = [...EVERY_ROLE, "requester"];

export function permission<const Name extends string>(
  name: Name,
  summary: string,
  roles: readonly LimitedRole[],
  impliedBy?: readonly Permission[],
): Permission<Name> {
  return {
    name,
    summary,
    roles: ["owner", "admin", ...roles],
    ...(impliedBy && { impliedBy: impliedBy.map((wider) => wider.name) }),
  };
}

/** True if the set contains the permission or one that implies it. */
export function holdsPermission(
  held: ReadonlySet<string>,
  { name, impliedBy = [] }: Permission,
): boolean {
  return held.has(name) || impliedBy.some((wider) => held.has(wider));
}

/** Expands `*` and `resource:*` against the catalog, so that a check is a single set look-up. */
export function expandPermissions(
  patterns: readonly string[],
  catalog: readonly Permission[],
): ReadonlySet<string> {
  const granted = new Set<string>();
  for (const { name } of catalog) {
    const wildcard = `${name.slice(0, name.indexOf(":") + 1)}*`;
    if (patterns.some((pattern) => pattern === "*" || pattern === name || pattern === wildcard)) {
      granted.add(name);
    }
  }
  return granted;
}
