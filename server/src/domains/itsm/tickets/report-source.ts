import Type from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { openRows, type ReportField, reportSource } from "#kernel/contributions/report-source.ts";
import { type SqlView, type SqlViewRequest, viewColumns } from "#kernel/contributions/sql-view.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { pastField, pastStatesSql } from "#kernel/log/past-state.ts";
import { TICKET_KINDS } from "./kind.ts";
import { DeskRead } from "./settings.ts";
import { ticketKinds } from "./ticket.ts";

/** Fields available only in reports: ticket age and resolution time. */
const MEASURES: Readonly<Record<string, ReportField>> = {
  ageDays: {
    sql: "floor(extract(epoch from now() - created_at) / 86400)",
    kind: "number",
    toJson: Number,
  },
};
const RESOLUTION: Readonly<Record<string, ReportField>> = {
  resolutionMinutes: {
    sql: "(extract(epoch from resolved_at - created_at) / 60)",
    kind: "number",
    toJson: Number,
  },
};

/** Provides tickets to reports, using the filter fields of the list. */
export const ticketsSource = reportSource({
  kind: "tickets",
  summary:
    "Incidents, changes, problems or requests. Each kind requires the permission of its list.",
  permission: DeskRead,
  schema: Type.Object({ entity: Type.Enum([...TICKET_KINDS]) }, { additionalProperties: false }),
  needs: (platform, { entity }) => [getReporting(platform, entity).permission],
  async open(request, { entity }) {
    const { list } = getReporting(request.platform, entity);
    const measures = "resolvedAt" in list.fields ? { ...MEASURES, ...RESOLUTION } : MEASURES;
    return openRows(request, {
      from: list.from,
      fields: { ...list.fields, ...measures },
      key: [{ sql: "no", type: "bigint" }],
      time: "createdAt",
    });
  },
  async openAt(request, { entity }, parameters, at) {
    const { list } = getReporting(request.platform, entity);
    const names = Object.entries(list.fields);
    const since = (until: string) =>
      `extract(epoch from ${until} - (doc ->> 'createdAt')::timestamptz)`;
    const measured = (sql: string): ReportField => ({ sql, kind: "number", toJson: Number });
    return openRows(request, {
      from: pastStatesSql(parameters, { resourceType: entity, at, marks: WHOLE }),
      fields: {
        ...Object.fromEntries(names.map(([name, field]) => [name, pastField(name, field)])),
        ageDays: measured(`floor(${since("as_of")} / 86400)`),
        ...("resolvedAt" in list.fields && {
          resolutionMinutes: measured(`(${since("(doc ->> 'resolvedAt')::timestamptz")} / 60)`),
        }),
      },
      key: [{ sql: "(doc ->> 'id')", type: "text" }],
      time: "createdAt",
    });
  },
});

/** Fields of an event that contains the complete ticket. */
const WHOLE = ["id", "number", "state", "createdAt"];

function getReporting(platform: Pick<Platform, "contributions">, entity: string) {
  const kind = ticketKinds(platform).find((candidate) => candidate.kind === entity);
  if (!kind) throw invalidField("/source/entity", "is not a kind of ticket");
  return kind.reporting;
}

/** Tickets of all kinds for SQL, limited to kinds that the caller can read completely. */
export const ticketsSqlView: SqlView = {
  name: "tickets",
  summary: "Incidents, changes, problems and requests that you can list.",
  permission: DeskRead,
  columns: viewColumns({
    text: "id kind number title state caller_id assignee_id team_id due_state created_by",
    boolean: "is_open",
    integer: "priority",
    "text[]": "tags",
    timestamptz: "due_at created_at updated_at",
  }),
  visible: readableKinds,
};

/** SQL condition: the tickets (`e`) are of kinds that the caller can read. False without any kind. */
export async function readableKinds(
  { platform, caller }: SqlViewRequest,
  parameters: SqlParameters,
): Promise<string | undefined | false> {
  const kinds = ticketKinds(platform)
    .filter(({ reporting }) => caller.permissions.has(reporting.permission.name))
    .map(({ kind }) => kind);
  return kinds.length === 0 ? false : `e.kind = any(${parameters.add(kinds, "text[]")})`;
}
