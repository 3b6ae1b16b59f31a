/** Ids to names: people and teams are few, so they are read once and kept fresh by the log. */
import { useMemo } from "react";
import { type Reply, type Schemas, useOp } from "./api.ts";
import { place } from "./place.ts";
import { pathOf, readPermissionOf } from "./resource-path.ts";

const KEPT_MS = 600_000;
const ALL = { query: { limit: 200 } };

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

type Person = Reply<"users.list">["data"][number];
type Team = Reply<"teams.list">["data"][number];
const NONE: readonly never[] = [];

/** The people of the workspace, for those who may see them. */
export function usePeople(): readonly Person[] {
  const enabled = useMay()("users:read") && place.workspace !== undefined;
  return useOp("users.list", ALL, { staleTime: KEPT_MS, enabled }).data?.data ?? NONE;
}

/** The teams of the workspace, for those who may see them. */
export function useTeams(): readonly Team[] {
  const enabled = useMay()("desk:read") && place.workspace !== undefined;
  return useOp("teams.list", ALL, { staleTime: KEPT_MS, enabled }).data?.data ?? NONE;
}

/** The name of a person or team, once it is known. */
export function useNames(): (id: string | null | undefined) => string | undefined {
  const people = usePeople();
  const teams = useTeams();
  const me = useMe();
  return useMemo(() => {
    const named = [...people, ...teams, ...(me ? [me.user] : [])];
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return (id) => (id ? names.get(id) : undefined);
  }, [people, teams, me]);
}
