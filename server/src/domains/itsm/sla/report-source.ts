import Type from "typebox";
import { openRows, type ReportField, reportSource } from "#kernel/contributions/report-source.ts";
import { SlaRead } from "./permissions.ts";
import { visibleKinds } from "./clocks/clock-access.ts";

const text = (sql: string) => ({ sql, kind: "text" as const });
const time = (sql: string) => ({ sql, kind: "time" as const, type: "timestamptz" });

const FIELDS: Readonly<Record<string, ReportField>> = {
  ticketId: text("ticket_id"),
  entity: text("kind"),
  policyId: text("policy_id"),
  policyName: text("policy_name"),
  metric: text("metric"),
  target: text("name"),
  lateRounds: {
    sql: "jsonb_array_length(coalesce(fold -> 'lateRounds', '[]'))",
    kind: "number",
    type: "integer",
  },
  state: text("state"),
  // For ended clocks one or zero, so that the average is the share of met targets.
  met: {
    sql: "(case state when 'met' then 1 when 'breached' then 0 end)",
    kind: "number",
    type: "integer",
  },
  targetMinutes: { sql: "(target_ms / 60000.0)", kind: "number", toJson: Number },
  dueAt: time("due_at"),
  warnedAt: time("warned_at"),
  breachedAt: time("breached_at"),
  stoppedAt: time("stopped_at"),
  updatedAt: time("updated_at"),
};

/** The clocks of tickets for reports, for ticket kinds that the caller can see completely, as in the clock list. */
export const clocksSource = reportSource({
  kind: "sla_clocks",
  summary:
    "One row for each SLA target of each ticket that you can view, with its state and due time.",
  permission: SlaRead,
  schema: Type.Object({}, { additionalProperties: false }),
  async open(asking, _, parameters) {
    const kinds = visibleKinds({ services: asking.platform, caller: asking.caller });
    return openRows(asking, {
      from: "sla_clocks",
      where: `kind = any (${parameters.add(kinds, "text[]")})`,
      key: [{ sql: "no", type: "bigint" }],
      time: "updatedAt",
      fields: FIELDS,
    });
  },
});
