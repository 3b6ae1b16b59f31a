import { partitionOfCaller } from "../access/caller.ts";
import type { ReadContext } from "../contract.ts";
import { SqlParameters } from "../db/statement.ts";
import { eventVisibilities } from "./event-visibility.ts";
import type { Permission } from "../access/permission.ts";
import Type from "typebox";
import {
  readInPartition,
  type ReportRequest,
  reportSource,
  type ReportSource,
} from "../contributions/report-source.ts";

/**
 * The log as a source of reports. An event that not everyone sees as it is counts only for those who do:
 * what a report adds up must be what its reader could have read.
 */
export function logSource(permission: Permission): ReportSource {
  return reportSource({
    kind: "events",
    summary: "The log: what happened, when and by whom. `data` leads into what each event tells.",
    permission,
    exactPast: true,
    schema: Type.Object({}, { additionalProperties: false }),
    open: async (asking, _, parameters) => ({
      from: "events e",
      where: await seenWhole(asking, parameters),
      fields: FIELDS,
      key: [
        { sql: "e.epoch", type: "smallint" },
        { sql: "e.xid", type: "xid8" },
        { sql: "e.seq", type: "bigint" },
      ],
      time: "createdAt",
      ask: (text, values) => readInPartition(asking, text, values),
    }),
  });
}

const text = (sql: string) => ({ sql, kind: "text" as const });

const FIELDS = new Map(
  Object.entries({
    type: text("e.type"),
    topic: text("e.topic"),
    actorId: text("e.actor_id"),
    actorType: text("e.actor_type"),
    actorName: text("e.actor_name"),
    resourceType: text("e.resource_type"),
    resourceId: text("e.resource_id"),
    resourceNumber: text("e.resource_number"),
    resourceName: text("e.resource_name"),
    requestId: text("e.request_id"),
    correlationId: text("e.correlation_id"),
    causationId: text("e.causation_id"),
    depth: { sql: "e.depth", kind: "number" as const },
    createdAt: { sql: "e.created_at", kind: "time" as const, type: "timestamptz" },
    data: { sql: "e.data", kind: "json" as const },
  }),
);

/** What holds for the events that the caller sees as they are; undefined when all are seen so. */
async function seenWhole(
  { platform, caller }: ReportRequest,
  parameters: SqlParameters,
): Promise<string | undefined> {
  const { principal } = caller;
  const views = eventVisibilities(platform);
  if (!principal || views.length === 0) return undefined;
  const partition = partitionOfCaller(caller);
  const place = {
    services: platform,
    partition,
    read: <T>(work: (tx: ReadContext["tx"]) => Promise<T>) => platform.db.read(partition, work),
  };
  const parts: string[] = [];
  for (const { resourceType, wholly } of views) {
    const seen = wholly ? await wholly(place, principal, parameters) : "false";
    if (seen === "true") continue;
    parts.push(`(e.resource_type <> ${parameters.add(resourceType, "text")} or (${seen}))`);
  }
  return parts.length === 0 ? undefined : parts.join(" and ");
}
