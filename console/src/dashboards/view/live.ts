/** Updates tiles live: events determine which are outdated, and only those are reloaded. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call, type Input, query, type Reply, useOp } from "../../data/api.ts";
import { onEvent } from "../../data/live/live.ts";
import { isAbout, keepNewest } from "./tile-freshness.ts";
import type { WidgetData } from "./tile.tsx";

type DataInput = Input<"dashboards.data">;
type DataReply = Reply<"dashboards.data">;

/** A burst of events causes one request. */
const CALM_MS = 2_000;

/** Loads the data of all tiles. */
export const useTileData = (input: DataInput) =>
  useOp("dashboards.data", input, {
    structuralSharing: (before, answer) =>
      keepNewest(before as DataReply | undefined, answer as DataReply),
  });

/** Keeps the displayed tiles current. */
export function useLiveTiles(input: DataInput, tiles: readonly WidgetData[]): void {
  const cache = useQueryClient();
  const key = JSON.stringify(input);
  const sources = JSON.stringify(tiles.map(({ id, report }) => [id, report?.source ?? null]));
  useEffect(() => {
    const asked = JSON.parse(key) as DataInput;
    const known = JSON.parse(sources) as [string, Readonly<Record<string, unknown>> | null][];
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { queryKey } = query("dashboards.data", asked);
    const refresh = async (): Promise<void> => {
      timer = undefined;
      const widgets = [...stale].join(",");
      stale.clear();
      const fresh = await call("dashboards.data", {
        ...asked,
        query: { ...asked.query, widgets, maxAge: 0 },
      });
      const news = new Map(fresh.data.widgets.map((tile) => [tile.id, tile]));
      cache.setQueryData<DataReply>(
        queryKey,
        (old) =>
          old && {
            ...old,
            data: {
              ...old.data,
              widgets: old.data.widgets.map((tile) => news.get(tile.id) ?? tile),
            },
          },
      );
    };
    const stop = onEvent((event) => {
      for (const [id, source] of known) if (source && isAbout(source, event)) stale.add(id);
      if (stale.size > 0)
        timer ??= setTimeout(() => {
          // If single tiles can't be loaded, all are reloaded.
          refresh().catch(() => void cache.invalidateQueries({ queryKey }));
        }, CALM_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [cache, key, sources]);
}
