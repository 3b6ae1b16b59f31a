import { useMemo } from "react";
import { useQueries } from "@tanstack/react-query";
import { query, useOp } from "../../data/api.ts";
import { useMay, useMe } from "../../data/people.ts";
import { BUILT_IN, toTeamView, type View } from "./views.ts";

export interface ViewCount {
  readonly total: number;
  /** Due within the hour, or late. */
  readonly urgent: number;
}

export interface Views {
  readonly builtIn: readonly View[];
  readonly teams: readonly View[];
  readonly all: readonly View[];
  readonly counts: ReadonlyMap<string, ViewCount>;
}

/** The views of a person, each with the number of its tickets. */
export function useViews(): Views {
  const may = useMay();
  const meId = useMe()?.user.id;
  const teams = useOp("teams.list", { query: { limit: 200 } }, { enabled: may("desk:read") }).data;
  const views = useMemo(() => {
    const own = (teams?.data ?? []).filter(({ memberIds }) => memberIds.includes(meId ?? ""));
    const teamViews = own.map(toTeamView);
    return { teams: teamViews, all: [...BUILT_IN, ...teamViews] };
  }, [teams, meId]);
  const answers = useQueries({
    queries: views.all.map((view) =>
      query("incidents.list", { query: { ...view.query, limit: 1, count: "exact" } }),
    ),
  });
  const counts = new Map(
    views.all.map((view, n) => [
      view.id,
      { total: answers[n]?.data?.pagination.total ?? 0, urgent: 0 },
    ]),
  );
  return { builtIn: BUILT_IN, ...views, counts };
}
