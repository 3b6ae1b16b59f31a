/** The request for the data of all tiles. */
import type { Input } from "../../data/api.ts";
import type { DashboardSearch } from "../search.ts";
import type { WidgetData } from "./tile.tsx";

export function dataInput(
  id: string,
  { from, to, period, filter }: DashboardSearch,
): Input<"dashboards.data"> {
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    params: { id },
    query: {
      timezone,
      ...(from !== undefined && { from }),
      ...(from !== undefined && to !== undefined && { to }),
      ...(from === undefined && period !== undefined && { period }),
      ...(filter !== undefined && { filter }),
    },
  };
}

type Source = NonNullable<WidgetData["report"]>["source"];

/** Returns the sources of tiles, without duplicates. */
export function uniqueSources(tiles: readonly WidgetData[]): readonly Source[] {
  const sources = tiles.flatMap(({ report }) => (report ? [report.source] : []));
  return [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()];
}
