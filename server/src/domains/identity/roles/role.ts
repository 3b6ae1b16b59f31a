import Type, { type Static } from "typebox";
import { Failure, failure, Forbidden, invalid } from "#kernel/operation/failure.ts";
import { idPattern } from "#kernel/schema/id.ts";
import {
  BUILT_IN_ROLES,
  type BuiltInRole,
  expand,
  type Permission,
} from "#kernel/access/permission.ts";
import { line, text, Time } from "#kernel/schema/schema.ts";

export const RoleId = Type.String({
  pattern: `^(${BUILT_IN_ROLES.join("|")})$|${idPattern("rol")}`,
  description: "The name of a built-in role, or the id of a custom one",
});

/** What a custom role is made of. */
export const fields = {
  name: line(60),
  description: text(1_000),
  permissions: Type.Array(line(100), {
    maxItems: 500,
    description: "`<resource>:<action>`, `<resource>:*` or `*`",
  }),
};

export const Role = Type.Object(
  { id: RoleId, ...fields, builtIn: Type.Boolean(), createdAt: Type.Optional(Time) },
  { title: "Role" },
);
export type Role = Static<typeof Role> & { readonly revision?: number };

export const RoleNameTaken = failure(
  "role_name_taken",
  409,
  "Another role has this name.",
  "roles_name",
);
export const BuiltInRoleFixed = failure("built_in_role", 409, "Built-in roles can't be changed.");
export const RoleInUse = failure(
  "role_in_use",
  409,
  "Members still have this role, or somebody is invited to it.",
);
export const LastOwner = failure("last_owner", 409, "A workspace keeps at least one owner.");

const DESCRIPTIONS: Readonly<Record<BuiltInRole, string>> = {
  owner: "Everything, and the only one to make further owners",
  admin: "Everything but making owners",
  builder: "Builds workflows, apps, tables, artifacts and integrations",
  agent: "Works on incidents, problems, knowledge and requests",
  change_manager: "An agent who also approves changes",
  member: "Uses apps and raises requests",
  viewer: "Reads",
  auditor: "Reads, the audit log included",
};

/** The built-in roles, with what each holds by the catalog. */
export function builtInRoles(catalog: readonly Permission[]): Role[] {
  return BUILT_IN_ROLES.map((name) => ({
    id: name,
    name,
    description: DESCRIPTIONS[name],
    permissions: catalog
      .filter(({ roles }) => roles.includes(name))
      .map((one) => one.name)
      .toSorted(),
    builtIn: true,
  }));
}

export function isBuiltIn(id: string): id is BuiltInRole {
  return BUILT_IN_ROLES.some((name) => name === id);
}

/** Each must be in the catalog, alone or as `resource:*`; the path of the first that is not. */
export function assertKnown(patterns: readonly string[], catalog: readonly Permission[]): void {
  for (const [index, pattern] of patterns.entries()) {
    if (expand([pattern], catalog).size === 0) {
      throw invalid(`/permissions/${index}`, "is not a permission");
    }
  }
}

/** Nobody grants what they lack. */
export function assertMayGrant(
  patterns: readonly string[],
  held: ReadonlySet<string>,
  catalog: readonly Permission[],
): void {
  const lacking = [...expand(patterns, catalog)].filter((name) => !held.has(name));
  if (lacking.length > 0) {
    throw new Failure(Forbidden, {
      detail: `You can't grant what you lack: ${lacking.join(", ")}.`,
    });
  }
}
