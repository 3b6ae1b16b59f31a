/** Live tiles: the log says which of them are out of date, and those alone are asked for again. */
import { replaceEqualDeep, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call, type Input, query, type Reply, useOp } from "../../data/api.ts";
import { type LogEvent, onEvent } from "../../data/live/live.ts";
import type { WidgetData } from "./tile.tsx";

type DataInput = Input<"dashboards.data">;
type DataReply = Reply<"dashboards.data">;

/** A burst of events is one request. */
const CALM_MS = 2_000;

/** True when an event may change what a source counts. */
export function isAbout(
  source: Readonly<Record<string, unknown>>,
  { type, data }: Pick<LogEvent, "type" | "data">,
): boolean {
  const { kind, table, entity } = source;
  switch (kind) {
    case "records": {
      const told: unknown = data;
      const slug =
        typeof told === "object" && told !== null && "tableSlug" in told
          ? told.tableSlug
          : undefined;
      return type.startsWith("record.") && (slug === undefined || slug === table);
    }
    case "runs":
      return type.startsWith("workflow.run_");
    case "deliveries":
      return type.startsWith("webhook.");
    case "tickets":
      return type.startsWith(`${String(entity)}.`) || type.startsWith("sla.");
    case "sla_clocks":
      return type.startsWith("sla.") || /^(incident|request|problem|change)\./.test(type);
    case "query":
      return type.startsWith("record.");
    default:
      return kind === "events";
  }
}

/** What the tiles of a dashboard show. */
export const useTileData = (input: DataInput) =>
  useOp("dashboards.data", input, {
    structuralSharing: (before, answer) =>
      keepNewest(before as DataReply | undefined, answer as DataReply),
  });

/**
 * A tile that was read later than in this answer stays: some are read by themselves while all of them are on their way.
 */
export function keepNewest(before: DataReply | undefined, answer: DataReply): DataReply {
  const known = new Map(before?.data.widgets.map((tile) => [tile.id, tile]));
  const widgets = answer.data.widgets.map((tile) => {
    const mine = known.get(tile.id);
    const isLater = (mine?.at ?? "") > (tile.at ?? "") && tile.at !== null;
    return mine && isLater ? mine : tile;
  });
  return replaceEqualDeep(before, { ...answer, data: { ...answer.data, widgets } });
}

/** Keeps the tiles of a dashboard fresh for as long as it is shown. */
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
          // What could not be read is read with all the others.
          refresh().catch(() => void cache.invalidateQueries({ queryKey }));
        }, CALM_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [cache, key, sources]);
}
