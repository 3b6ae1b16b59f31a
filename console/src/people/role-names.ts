import { useMemo } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useMay, useMe } from "../data/people.ts";
import { toWords } from "../ui/words.ts";

export type Role = Schemas["Role"];

/** Names of well-known built-in roles, for users who can't list roles. */
const nameBuiltIn = (id: string): string => (id.startsWith("rol_") ? "Custom role" : toWords(id));

export function nameRole({ name, builtIn }: Pick<Role, "name" | "builtIn">): string {
  return builtIn ? toWords(name) : name;
}

export function useRoles(): {
  readonly roles: readonly Role[];
  readonly nameOf: (id: string) => string;
} {
  const may = useMay();
  const { data } = useOp("roles.list", { query: { limit: 200 } }, { enabled: may("roles.list") });
  return useMemo(() => {
    const roles = data?.data ?? [];
    const names = new Map(roles.map((role) => [role.id, nameRole(role)]));
    return { roles, nameOf: (id) => names.get(id) ?? nameBuiltIn(id) };
  }, [data]);
}

/** Returns why the user can't grant a role; undefined if they can. The server uses the same rule. */
export function useGrantReason(): (role: Role) => string | undefined {
  const me = useMe();
  return useMemo(() => {
    const held = new Set(me?.permissions);
    const isOwner = me?.roles.includes("owner") === true;
    return (role) => {
      if (role.id === "owner")
        return isOwner ? undefined : "Only owners can assign the owner role.";
      if (role.permissions.includes("*"))
        return isOwner ? undefined : "Only owners can assign a role with all permissions.";
      const lacking = role.permissions.filter(
        (name) => !name.endsWith(":*") && !held.has(name),
      ).length;
      return lacking > 0 ? "The role has permissions that you don't have." : undefined;
    };
  }, [me]);
}
