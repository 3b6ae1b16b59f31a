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
import { type SqlView, viewColumns } from "../contributions/sql-view.ts";

/**
 * The log as a report source. Events that are filtered for some users count only for users who see them
 * completely, because a report must include only events that its reader can read.
 */
export function logSource(permission: Permission): ReportSource {
  return reportSource({
    kind: "events",
    summary:
      "The event log: what happened, when, and who did it. `data` contains the data of each event.",
    permission,
    exactPast: true,
    schema: Type.Object({}, { additionalProperties: false }),
    open: async (request, _, parameters) => ({
      from: "events e",
      where: await visibleSql(request, parameters),
      fields: FIELDS,
      key: [
        { sql: "e.epoch", type: "smallint" },
        { sql: "e.xid", type: "xid8" },
        { sql: "e.seq", type: "bigint" },
      ],
      time: "createdAt",
      query: (text, values) => readInPartition(request, text, values),
    }),
  });
}

/** The log as a SQL view with the same access rules. */
export function logView(permission: Permission): SqlView {
  return {
    name: "events",
    summary: "The event log: what happened, when, and who did it.",
    permission,
    columns: viewColumns({
      text:
        "topic type actor_id actor_type actor_name resource_type resource_id resource_number resource_name request_id " +
        "correlation_id causation_id",
      integer: "depth",
      timestamptz: "created_at",
      jsonb: "data",
    }),
    visible: visibleSql,
  };
}

const text = (sql: string) => ({ sql, kind: "text" as const });

const FIELDS = new Map(
  Object.entries({
    type: { ...text("e.type"), hasPatterns: true },
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

/** SQL that is true for events that the caller sees completely. Undefined if all are visible. */
async function visibleSql(
  { platform, caller }: ReportRequest,
  parameters: SqlParameters,
): Promise<string | undefined> {
  const { principal } = caller;
  const views = eventVisibilities(platform);
  if (!principal || views.length === 0) return undefined;
  const partition = partitionOfCaller(caller);
  const context = {
    services: platform,
    partition,
    read: <T>(work: (tx: ReadContext["tx"]) => Promise<T>) => platform.db.read(partition, work),
  };
  const parts: string[] = [];
  for (const { resourceType, visibleSql: wholly } of views) {
    const visible = wholly ? await wholly(context, principal, parameters) : "false";
    if (visible === "true") continue;
    parts.push(`(e.resource_type <> ${parameters.add(resourceType, "text")} or (${visible}))`);
  }
  return parts.length === 0 ? undefined : parts.join(" and ");
}
