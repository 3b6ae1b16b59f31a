import Type, { type Static } from "typebox";
import { ticketKinds, type TicketKind } from "../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { InputTime, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { foldEvents, type ClockPlan } from "./clocks/clock-fold.ts";
import { readTicketHistories } from "./clocks/ticket-history.ts";
import { ticketFieldsOf, toIso } from "./clocks/clock-row.ts";
import { compilePlans } from "./clocks/policy-targets.ts";
import {
  applyPolicyChange,
  assertValidPolicy,
  METRICS,
  PolicyChange,
  PolicyId,
  type SlaPolicy,
} from "./policy.ts";
import { policies, resolveCalendar } from "./policy-resource.ts";
import { SlaRead } from "./permissions.ts";
import { assertSeesAllTickets } from "./clocks/clock-access.ts";
import { CLOCK_STATES, clockStateAt } from "./clocks/clock-state.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DEFAULT_TICKETS = 1_000;
const BATCH_TICKETS = 200;
const WORST_MAX = 10;

const { entity: _, ...changeable } = PolicyChange.properties;

const SimulationBody = object({
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  policy: Type.Optional(patch(changeable)),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5_000,
      description: `Of tickets, the newest first; ${DEFAULT_TICKETS} unless given`,
    }),
  ),
});
type SimulationBody = Static<typeof SimulationBody>;

const Counts = {
  met: Type.Integer(),
  breached: Type.Integer(),
  open: Type.Integer(),
  cancelled: Type.Integer(),
};

const MetricResult = Type.Object({
  metric: Type.Enum([...METRICS]),
  name: Type.String(),
  targetMinutes: Type.Number(),
  ...Counts,
  metPercent: nullable(
    Type.Number({ description: "Of those that were met or breached; null when there are none" }),
  ),
  worst: Type.Array(
    Type.Object({
      ticketId: Type.String(),
      number: nullable(Type.String()),
      title: nullable(Type.String()),
      state: Type.Enum([...CLOCK_STATES]),
      elapsedMs: Type.Integer(),
      overMs: Type.Integer({ description: "What is used up beyond the target" }),
      startedAt: Time,
      dueAt: nullable(Time),
      stoppedAt: nullable(Time),
    }),
  ),
});
type MetricResult = Static<typeof MetricResult>;

const Simulation = Type.Object(
  {
    from: Time,
    to: Time,
    tickets: Type.Integer({ description: "How many were looked at" }),
    ...Counts,
    metPercent: MetricResult.properties.metPercent,
    metrics: Type.Array(MetricResult),
  },
  { title: "SlaSimulation" },
);
type Simulation = Static<typeof Simulation>;

export const simulatePolicy = query({
  id: "sla.simulate",
  route: "POST /api/v1/itsm/sla-policies/{id}/simulate",
  summary: "See what a policy would have made of past tickets",
  description:
    "Of the tickets that were made between `from` and `to` (the last 30 days unless given), from the " +
    "log. `policy` holds what should be different from the policy as it is.",
  permission: SlaRead,
  params: object({ id: PolicyId }),
  body: SimulationBody,
  bodyOptional: true,
  response: item(Simulation),
  example: {
    params: { id: "slp_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    body: { limit: 500, policy: { targets: [{ metric: "resolution", minutes: 120 }] } },
  },
  run: async (ctx, { params, body }) =>
    simulate(ctx, await policies.store.get(ctx.tx, params.id), body),
});

/** Simulates a policy, or a changed one, on past tickets. */
async function simulate(
  ctx: ReadContext,
  policy: SlaPolicy,
  { from, to, policy: change = {}, limit = DEFAULT_TICKETS }: SimulationBody,
): Promise<Simulation> {
  const { tx, now, services } = ctx;
  const draft = applyPolicyChange(policy, await resolveCalendar(tx, change, "/policy"));
  assertValidPolicy(services, draft, "/policy");
  const end = to === undefined ? now : new Date(to);
  const start =
    from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from);
  if (start > end) throw invalidField("/to", "must not be before from");
  const kind = ticketKinds(services).find(({ kind: name }) => name === draft.entity);
  if (kind) assertSeesAllTickets(kind, ctx);
  const ids = kind ? await listTicketIds(tx, kind, { start, end, limit }) : [];
  const plans = compilePlans(draft);
  const clocks: SimulatedClock[][] = plans.map(() => []);
  for (let index = 0; index < ids.length; index += BATCH_TICKETS) {
    const batch = ids.slice(index, index + BATCH_TICKETS).map((id) => ({ id }));
    const histories = await readTicketHistories(tx, batch);
    for (const [id, history] of histories) {
      for (const [metric, plan] of plans.entries()) {
        const simulated = simulateClock(plan, { id, history, nowMs: now.getTime() });
        if (simulated) clocks[metric]?.push(simulated);
      }
    }
  }
  const metrics = plans.map((plan, index) => toMetricResult(plan, clocks[index] ?? []));
  return {
    from: start.toISOString(),
    to: end.toISOString(),
    tickets: ids.length,
    ...countStates(clocks.flat()),
    metrics,
  };
}

type SimulatedClock = MetricResult["worst"][number];

function simulateClock(
  plan: ClockPlan,
  past: {
    readonly id: string;
    readonly history: Parameters<typeof foldEvents>[1];
    readonly nowMs: number;
  },
): SimulatedClock | undefined {
  const clock = foldEvents(plan, past.history);
  if (!clock?.everMatched) return undefined;
  const { state, elapsedMs, dueAt } = clockStateAt(plan, clock, past.nowMs);
  const { number = null, title = null } = ticketFieldsOf(past.history) ?? {};
  return {
    ticketId: past.id,
    number,
    title,
    state,
    elapsedMs,
    overMs: Math.max(0, elapsedMs - plan.targetMs),
    startedAt: new Date(clock.startedAt).toISOString(),
    dueAt: toIso(dueAt),
    stoppedAt: toIso(clock.stoppedAt),
  };
}

function toMetricResult(plan: ClockPlan, clocks: readonly SimulatedClock[]): MetricResult {
  return {
    metric: plan.metric,
    name: plan.name,
    targetMinutes: plan.targetMs / 60_000,
    ...countStates(clocks),
    worst: clocks
      .filter(({ state }) => state !== "cancelled")
      .toSorted((left, right) => right.elapsedMs - left.elapsedMs)
      .slice(0, WORST_MAX),
  };
}

function countStates(clocks: readonly SimulatedClock[]) {
  const count = (...states: readonly string[]): number =>
    clocks.filter(({ state }) => states.includes(state)).length;
  const [met, breached] = [count("met"), count("breached")];
  const decided = met + breached;
  return {
    met,
    breached,
    open: count("running", "paused"),
    cancelled: count("cancelled"),
    metPercent: decided === 0 ? null : Math.round((met / decided) * 10_000) / 100,
  };
}

async function listTicketIds(
  tx: Tx,
  { table }: TicketKind,
  { start, end, limit }: { readonly start: Date; readonly end: Date; readonly limit: number },
): Promise<string[]> {
  const text = `
    select id from ${table} where created_at >= $1 and created_at <= $2
     order by no desc limit ${limit}`;
  return (await queryRows(tx, text, [start, end])).map(({ id }) => String(id));
}
