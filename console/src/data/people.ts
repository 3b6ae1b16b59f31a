/** The person who is signed in, and what they may do. */
import { useMemo } from "react";
import { toWords } from "../ui/words.ts";
import { type Schemas, useOp } from "./api.ts";
import { pathOf, readPermissionOf } from "./resource-path.ts";

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

/** Says whether to offer an action. The server decides; this spares people the refusal. */
export function useMay(): (permission: string | undefined) => boolean {
  const me = useMe();
  return useMemo(() => {
    const held = new Set(me?.permissions);
    return (permission) => permission === undefined || held.has(permission);
  }, [me]);
}

/** Finds the path of a thing that the person may see there: events tell of more than that. */
export function usePathOf(): typeof pathOf {
  const may = useMay();
  return (type, id, number) => (may(readPermissionOf(type)) ? pathOf(type, id, number) : undefined);
}
