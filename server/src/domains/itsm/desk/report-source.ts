import Type from "typebox";
import { Failure, Forbidden, invalid } from "#kernel/failure.ts";
import { openRows, type ReportField, reportSource } from "#kernel/report-source.ts";
import { TICKET_KINDS } from "./kind.ts";
import { DeskRead } from "./permissions.ts";
import { kindsOf } from "./ticket.ts";

/** How long something took, and how old what is still open is: for whoever measures a desk. */
const MEASURES: Readonly<Record<string, ReportField>> = {
  ageDays: {
    sql: "floor(extract(epoch from now() - created_at) / 86400)",
    kind: "number",
    show: Number,
  },
};
const RESOLUTION: Readonly<Record<string, ReportField>> = {
  resolutionMinutes: {
    sql: "(extract(epoch from resolved_at - created_at) / 60)",
    kind: "number",
    show: Number,
  },
};

/** Tickets of one kind, for reports: by the fields that their list is filtered by. */
export const ticketsSource = reportSource({
  kind: "tickets",
  summary: "Incidents, changes, problems or requests; each needs what its own list needs.",
  permission: DeskRead,
  schema: Type.Object({ entity: Type.Enum([...TICKET_KINDS]) }, { additionalProperties: false }),
  async open(asking, { entity }) {
    const kind = kindsOf(asking.outside).find((one) => one.kind === entity);
    if (!kind) throw invalid("/source/entity", "is not a kind of ticket");
    const { list, permission } = kind.reported;
    if (!asking.caller.permissions.has(permission.name)) {
      throw new Failure(Forbidden, { detail: `This needs the permission ${permission.name}.` });
    }
    const measures = "resolvedAt" in list.fields ? { ...MEASURES, ...RESOLUTION } : MEASURES;
    return openRows(asking, {
      from: list.from,
      fields: { ...list.fields, ...measures },
      key: [{ sql: "no", type: "bigint" }],
      time: "createdAt",
    });
  },
});
