/** The roles that every workspace has; `owner` and `admin` hold every permission. */
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

/** One right, declared by the domain that it guards, together with the built-in roles that hold it. */
export interface Permission<Name extends string = string> {
  readonly name: Name;
  readonly summary: string;
  readonly roles: readonly BuiltInRole[];
  /** The names of wider permissions: whoever holds one of them may do what this one allows. */
  readonly impliedBy?: readonly string[];
}

type LimitedRole = Exclude<BuiltInRole, "owner" | "admin">;

/** The roles of those who do something in the product; a requester only asks. */
export const EVERY_ROLE: readonly LimitedRole[] = [
  "builder",
  "agent",
  "change_manager",
  "member",
  "viewer",
  "auditor",
];

/** Every role, and that of those who only ask. */
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

/** True for those who hold a permission, or one that implies it. */
export function holdsPermission(
  held: ReadonlySet<string>,
  { name, impliedBy = [] }: Permission,
): boolean {
  return held.has(name) || impliedBy.some((wider) => held.has(wider));
}

/** Expands `*` and `resource:*` against the catalog, so that a check is one look-up in a set. */
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
