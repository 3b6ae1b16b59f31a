import Type, { type Static } from "typebox";
import { TICKET_KINDS } from "../../tickets/index.ts";
import {
  type ListDefinition,
  type ListField,
  listPage,
  listQuery,
  type ListCondition,
} from "#kernel/list/list.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { CountedPage } from "#kernel/operation/response.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { CLOCK_COLUMNS, type ClockRow, toClock } from "./store.ts";
import { compileTargets } from "./policy-targets.ts";
import { METRICS, PolicyId } from "../policy.ts";
import { type ClockListItem, toClockListItem } from "./clock-schema.ts";
import { visibleKinds } from "./clock-access.ts";
import { listActivePolicies } from "../policy-resource.ts";
import { CLOCK_STATES } from "./clock-state.ts";

const text = (sql: string): ListField => ({ sql, kind: "text" });
const time = (sql: string): ListField => ({ sql, kind: "time", nullable: true });

const list: ListDefinition = {
  name: "sla clocks",
  from: "sla_clocks",
  select: CLOCK_COLUMNS,
  fields: {
    no: { sql: "no", kind: "number", type: "bigint" },
    state: text("state"),
    kind: text("kind"),
    metric: text("metric"),
    name: text("name"),
    policyId: text("policy_id"),
    ticketId: text("ticket_id"),
    dueAt: time("due_at"),
    breachedAt: time("breached_at"),
    stoppedAt: time("stopped_at"),
    assigneeId: { sql: "(ticket ->> 'assigneeId')", kind: "text", nullable: true },
    teamId: { sql: "(ticket ->> 'teamId')", kind: "text", nullable: true },
  },
  search: ["(ticket ->> 'number')", "(ticket ->> 'title')"],
  order: "dueAt",
  tieBreaker: "no",
};

const statePattern = `(${CLOCK_STATES.join("|")})`;

export const ClockListQuery = object({
  ...listQuery,
  state: Type.Optional(
    Type.String({
      pattern: `^${statePattern}(,${statePattern}){0,4}$`,
      description: "One state, or several separated by commas: `running,breached`",
    }),
  ),
  kind: Type.Optional(Type.Enum([...TICKET_KINDS])),
  metric: Type.Optional(Type.Enum([...METRICS])),
  policyId: Type.Optional(PolicyId),
  dueBefore: Type.Optional(InputTime),
  open: Type.Optional(Type.Enum(["true"], { description: "Returns only clocks of open tickets" })),
});

/** Reads a page of an environment's clocks, next deadline first. */
export async function readClockPage(
  ctx: ReadContext,
  { state, kind, metric, policyId, dueBefore, open, ...query }: Static<typeof ClockListQuery>,
): Promise<CountedPage<ClockListItem>> {
  const conditions: ListCondition[] = [];
  const kinds = visibleKinds(ctx);
  if (kinds.length < TICKET_KINDS.length) {
    conditions.push((parameters) => `kind = any(${parameters.add(kinds, "text[]")})`);
  }
  const equal = (column: string, value: string | undefined): void => {
    if (value !== undefined)
      conditions.push((parameters) => `${column} = ${parameters.add(value, "text")}`);
  };
  const states = state?.split(",") ?? [];
  if (states.length > 1)
    conditions.push((parameters) => `state = any(${parameters.add(states, "text[]")})`);
  else equal("state", states[0]);
  equal("kind", kind);
  equal("metric", metric);
  equal("policy_id", policyId);
  if (dueBefore !== undefined) {
    conditions.push((parameters) => `due_at < ${parameters.add(dueBefore, "timestamptz")}`);
  }
  if (open !== undefined) conditions.push(() => "stopped_at is null and state <> 'cancelled'");
  const targets = compileTargets(ctx.services, await listActivePolicies(ctx.tx));
  const nowMs = ctx.now.getTime();
  return listPage(ctx, list, query, {
    conditions,
    // The list selects `CLOCK_COLUMNS`.
    toItem: (row) => toClockListItem(toClock(row as unknown as ClockRow), targets, nowMs),
  });
}
