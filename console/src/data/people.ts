/** The current user and their permissions. */
import { isAllowed, isForOwners, isOperationId, permissionOf } from "@millrace/client";
import { useMemo } from "react";
import { splitWords, toWords } from "../ui/words.ts";
import { type OperationId, type Permission, type Schemas, useOp } from "./api.ts";
import { pathOf, readOperationOf } from "./resource-path.ts";

const KEPT_MS = 600_000;

export type Me = Schemas["Me"];

/** The current user, with roles and permissions in this workspace. */
export function useMe(): Me | undefined {
  return useOp("auth.me", undefined, { staleTime: KEPT_MS }).data?.data;
}

/** Returns the display names of roles: custom names, and names of built-in roles by id. */
export function describeRoles({ roles, roleNames }: Pick<Me, "roles" | "roleNames">): string {
  const names = roleNames.map((name, n) => (name === roles[n] ? toWords(name) : name));
  return names.join(", ");
}

/** An operation id, or a permission for screens that are not about one operation. */
export type Right = OperationId | Permission;

/** Returns whether to offer an action. The server enforces permissions; the console disables actions early. */
export function useMay(): (right: Right | undefined) => boolean {
  const refusalOf = useRefusals();
  return useMemo(
    () => (right) => right === undefined || refusalOf(right) === undefined,
    [refusalOf],
  );
}

/** Returns why the user can't perform an action; undefined if they can. */
export function useRefusals(): (right: Right | undefined) => string | undefined {
  const me = useMe();
  return useMemo(() => {
    const held: ReadonlySet<string> = new Set(me?.permissions);
    return (right) => {
      if (right === undefined) return undefined;
      if (!isOperationId(right)) return held.has(right) ? undefined : describeMissing(right);
      if (isForOwners(right) && !me?.roles.includes("owner")) return "Only an owner can do this.";
      return isAllowed(right, held) ? undefined : describeMissing(permissionOf(right) ?? right);
    };
  }, [me]);
}

const VERBS: Readonly<Partial<Record<string, string>>> = {
  read: "view",
  write: "change",
  own: "change your",
};

/** Describes `sla:write` as "You don’t have permission to change SLAs." */
function describeMissing(permission: string): string {
  const [resource = "", verb = ""] = permission.split(":");
  const things = splitWords(resource).toLowerCase();
  return `You don’t have permission to ${VERBS[verb] ?? verb.replaceAll("_", " ")} ${things}.`;
}

/** Returns why this operation is disabled; undefined if it is available. */
export const useRefusal = (id: OperationId | undefined): string | undefined => useRefusals()(id);

/** Returns the path of a resource if the user may read it: events name resources beyond that. */
export function usePathOf(): typeof pathOf {
  const may = useMay();
  return (type, id, number) => (may(readOperationOf(type)) ? pathOf(type, id, number) : undefined);
}
