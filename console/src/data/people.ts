/** The person who is signed in, and what they may do. */
import { isAllowed, isForOwners, isOperationId, permissionOf } from "@millrace/client";
import { useMemo } from "react";
import { splitWords, toWords } from "../ui/words.ts";
import { type OperationId, type Permission, type Schemas, useOp } from "./api.ts";
import { pathOf, readOperationOf } from "./resource-path.ts";

const KEPT_MS = 600_000;

export type Me = Schemas["Me"];

/** The person who is signed in, with roles and permissions in this workspace. */
export function useMe(): Me | undefined {
  return useOp("auth.me", undefined, { staleTime: KEPT_MS }).data?.data;
}

/** The names of roles in words: custom roles as somebody named them, built-in ones by their ids. */
export function describeRoles({ roles, roleNames }: Pick<Me, "roles" | "roleNames">): string {
  const names = roleNames.map((name, n) => (name === roles[n] ? toWords(name) : name));
  return names.join(", ");
}

/** An operation by its id. A permission by its name is for screens that are not about one operation. */
export type Right = OperationId | Permission;

/** Says whether to offer an action. The server decides; this spares people the refusal. */
export function useMay(): (right: Right | undefined) => boolean {
  const refusalOf = useRefusals();
  return useMemo(
    () => (right) => right === undefined || refusalOf(right) === undefined,
    [refusalOf],
  );
}

/** Says why an action can't be done by this person; undefined where it can. */
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

/** `sla:write` as "You don’t have permission to change SLAs." */
function describeMissing(permission: string): string {
  const [resource = "", verb = ""] = permission.split(":");
  const things = splitWords(resource).toLowerCase();
  return `You don’t have permission to ${VERBS[verb] ?? verb.replaceAll("_", " ")} ${things}.`;
}

/** The reason why this operation is not offered; undefined where it is. */
export const useRefusal = (id: OperationId | undefined): string | undefined => useRefusals()(id);

/** Finds the path of a thing that the person may see there: events tell of more than that. */
export function usePathOf(): typeof pathOf {
  const may = useMay();
  return (type, id, number) => (may(readOperationOf(type)) ? pathOf(type, id, number) : undefined);
}
