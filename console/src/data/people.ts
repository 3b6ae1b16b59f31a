/** Ids to names: people and teams are few, so they are read once and kept fresh by the log. */
import { useMemo } from "react";
import { type Schemas, useOp } from "./api.ts";
import { place } from "./place.ts";
import { pathOf, readPermissionOf } from "./resource-path.ts";

const KEPT_MS = 600_000;

export type Me = Schemas["Me"];

/** The person who is signed in, with roles and permissions in this workspace. */
export function useMe(): Me | undefined {
  return useOp("auth.me", undefined, { staleTime: KEPT_MS }).data?.data;
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

/** The name of a person or team, once it is known. */
export function useNames(): (id: string | null | undefined) => string | undefined {
  const may = useMay();
  const isInside = place.workspace !== undefined;
  const people = useOp(
    "users.list",
    { query: { limit: 200 } },
    { staleTime: KEPT_MS, enabled: isInside && may("users:read") },
  ).data;
  const teams = useOp(
    "teams.list",
    { query: { limit: 200 } },
    { staleTime: KEPT_MS, enabled: isInside && may("desk:read") },
  ).data;
  const me = useMe();
  return useMemo(() => {
    const named = [...(people?.data ?? []), ...(teams?.data ?? []), ...(me ? [me.user] : [])];
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return (id) => (id ? names.get(id) : undefined);
  }, [people, teams, me]);
}
