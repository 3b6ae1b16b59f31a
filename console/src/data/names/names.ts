/**
 * Maps ids to names. In small workspaces, all people and teams are loaded and kept current; in large ones, only
 * those on screen are looked up.
 */
import { useMemo, useSyncExternalStore } from "react";
import { call, type Reply, useOp } from "../api.ts";
import { onEvent } from "../live/live.ts";
import { useMay, useMe } from "../people.ts";
import { place } from "../place.ts";
import { NameBook } from "./name-book.ts";

const KEPT_MS = 600_000;
const ALL = { query: { limit: 200 } };
const IDS_MAX = 100;

type Person = Reply<"users.list">["data"][number];
type Team = Reply<"teams.list">["data"][number];
const NONE: readonly never[] = [];

const people = new NameBook(async (ids) => {
  const { data } = await call("users.list", { query: { ids: ids.join(","), limit: IDS_MAX } });
  return new Map(data.map(({ id, name }) => [id, name]));
});

const teams = new NameBook(async (ids) => {
  const filter = JSON.stringify({ id: { in: ids } });
  const { data } = await call("teams.list", { query: { filter, limit: IDS_MAX } });
  return new Map(data.map(({ id, name }) => [id, name]));
});

onEvent(({ type }) => {
  if (type.startsWith("user.")) people.forget();
  if (type.startsWith("team.")) teams.forget();
});

/** The first page of people, for users with permission: in small workspaces this is everyone. */
function useFirstPeople() {
  const enabled = useMay()("users.list") && place.workspace !== undefined;
  return useOp("users.list", ALL, { staleTime: KEPT_MS, enabled }).data;
}

function useFirstTeams() {
  const enabled = useMay()("teams.list") && place.workspace !== undefined;
  return useOp("teams.list", ALL, { staleTime: KEPT_MS, enabled }).data;
}

/** The teams of the workspace, for users with permission. */
export function useTeams(): readonly Team[] {
  return useFirstTeams()?.data ?? NONE;
}

/** The active people who work at the service desk: everyone in small workspaces, only agents in large ones. */
export function useColleagues(): readonly Person[] {
  const page = useFirstPeople();
  const isPart = page?.pagination.hasMore === true;
  const agents = useOp(
    "users.list",
    { query: { limit: 200, role: "agent", status: "active" } },
    { staleTime: KEPT_MS, enabled: isPart },
  ).data?.data;
  return useMemo(() => {
    const some = (page?.data ?? NONE).filter(({ status }) => status === "active");
    return [...new Map([...(agents ?? NONE), ...some].map((one) => [one.id, one])).values()];
  }, [page, agents]);
}

/** Returns people by id; at most one hundred are loaded. */
export function useMembers(ids: readonly string[]): readonly Person[] {
  const page = useFirstPeople();
  const known = useMemo(() => new Map(page?.data.map((one) => [one.id, one])), [page]);
  const unknown = ids.filter((id) => !known.has(id)).slice(0, IDS_MAX);
  const isPart = page?.pagination.hasMore === true && unknown.length > 0;
  const others = useOp(
    "users.list",
    { query: { ids: unknown.join(","), limit: IDS_MAX } },
    { staleTime: KEPT_MS, enabled: isPart },
  ).data?.data;
  return useMemo(() => {
    const all = new Map([
      ...known,
      ...(isPart ? (others ?? NONE) : NONE).map((o) => [o.id, o] as const),
    ]);
    return ids.flatMap((id) => all.get(id) ?? NONE);
  }, [known, others, isPart, ids]);
}

/** Looks up names of people and teams; undefined while loading. */
export function useNames(): (id: string | null | undefined) => string | undefined {
  const [persons, groups] = [useFirstPeople(), useFirstTeams()];
  const me = useMe();
  const version = useSyncExternalStore(subscribe, () => people.version + teams.version);
  return useMemo(() => {
    const named = [...(persons?.data ?? NONE), ...(groups?.data ?? NONE), ...(me ? [me.user] : [])];
    const names = new Map(named.map(({ id, name }) => [id, name]));
    const lookUp = (id: string): string | undefined => {
      if (id.startsWith("usr_") && persons?.pagination.hasMore) return people.nameOf(id);
      if (id.startsWith("tem_") && groups?.pagination.hasMore) return teams.nameOf(id);
      return undefined;
    };
    // A dependency only: the version changes with the loaded names.
    void version;
    return (id) => (id ? (names.get(id) ?? lookUp(id)) : undefined);
  }, [persons, groups, me, version]);
}

function subscribe(watcher: () => void): () => void {
  const left = [people.subscribe(watcher), teams.subscribe(watcher)];
  return () => {
    for (const leave of left) leave();
  };
}
