/** Determines which tiles an event affects, and which of two responses for a tile is newer. */
import { replaceEqualDeep } from "@tanstack/react-query";
import type { Reply } from "../../data/api.ts";
import type { LogEvent } from "../../data/live/live.ts";

type DataReply = Reply<"dashboards.data">;

/** Returns whether an event may change the result of a source. */
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

/** Keeps tiles that were read later than this response: some are reloaded while a request for all is running. */
export function keepNewest(before: DataReply | undefined, answer: DataReply): DataReply {
  const known = new Map(before?.data.widgets.map((tile) => [tile.id, tile]));
  const widgets = answer.data.widgets.map((tile) => {
    const mine = known.get(tile.id);
    const isLater = (mine?.at ?? "") > (tile.at ?? "") && tile.at !== null;
    return mine && isLater ? mine : tile;
  });
  return replaceEqualDeep(before, { ...answer, data: { ...answer.data, widgets } });
}
