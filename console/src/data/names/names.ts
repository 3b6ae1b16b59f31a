/**
 * Ids to names. Where people and teams are few they are read once and kept fresh by the log; where they are many, those
 * are looked up whom a screen shows.
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

/** Some people of the workspace, for those who may see them: all of them where they are few. */
function useFirstPeople() {
  const enabled = useMay()("users.list") && place.workspace !== undefined;
  return useOp("users.list", ALL, { staleTime: KEPT_MS, enabled }).data;
}

function useFirstTeams() {
  const enabled = useMay()("teams.list") && place.workspace !== undefined;
  return useOp("teams.list", ALL, { staleTime: KEPT_MS, enabled }).data;
}

/** The teams of the workspace, for those who may see them. */
export function useTeams(): readonly Team[] {
  return useFirstTeams()?.data ?? NONE;
}

/** The active people who work at the desk: of few all, of many those who are agents. */
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

/** People by their ids, of whom there may be any number; a hundred of them are shown. */
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

/** The name of a person or team, once it is known. */
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
    // The version is that of what the books know.
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
