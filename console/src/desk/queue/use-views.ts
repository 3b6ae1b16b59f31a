import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useTeams } from "../../data/names/names.ts";
import { useMay, useMe } from "../../data/people.ts";
import { BUILT_IN, toSavedView, toTeamView, type View } from "./views.ts";

export interface ViewCount {
  readonly total: number;
  /** Overdue, or due within one hour. */
  readonly urgent: number;
}

export interface Views {
  readonly builtIn: readonly View[];
  readonly teams: readonly View[];
  readonly saved: readonly View[];
  readonly all: readonly View[];
  readonly counts: ReadonlyMap<string, ViewCount>;
}

/** The user's views with their ticket counts, all from one request. */
export function useViews(): Views {
  const may = useMay();
  const meId = useMe()?.user.id;
  const teams = useTeams();
  const saved = useOp("views.list", { query: { limit: 50 } }, { enabled: may("views.count") }).data;
  const counted = useOp("views.count", undefined, { enabled: may("views.count") }).data;
  return useMemo(() => {
    const own = teams.filter(({ memberIds }) => memberIds.includes(meId ?? ""));
    const lists = { teams: own.map(toTeamView), saved: (saved?.data ?? []).map(toSavedView) };
    const counts = new Map(
      (counted?.data.views ?? []).map(({ id, open, dueSoon, breached }) => [
        id,
        { total: open, urgent: dueSoon + breached },
      ]),
    );
    return {
      builtIn: BUILT_IN,
      ...lists,
      all: [...BUILT_IN, ...lists.teams, ...lists.saved],
      counts,
    };
  }, [teams, saved, counted, meId]);
}
