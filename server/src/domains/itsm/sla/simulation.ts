import Type, { type Static } from "typebox";
import { ticketKinds, type TicketKind } from "../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import { InputTime, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { foldEvents, type ClockPlan } from "./clocks/clock-fold.ts";
import { historiesOf } from "./clocks/ticket-history.ts";
import { ticketFieldsOf, toIso } from "./clocks/clock-row.ts";
import { compilePlans } from "./clocks/policy-targets.ts";
import { assertValidPolicy, METRICS, PolicyChange, type SlaPolicy } from "./policy.ts";
import { assertSeesAllTickets } from "./clocks/clock-access.ts";
import { changed } from "./service.ts";
import { CLOCK_STATES, clockStateAt } from "./clocks/clock-state.ts";

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
const USUAL_TICKETS = 1_000;
const BATCH_TICKETS = 200;
const WORST_MAX = 10;

const { entity: _, ...changeable } = PolicyChange.properties;

export const SimulationBody = object({
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  policy: Type.Optional(patch(changeable)),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5_000,
      description: `Of tickets, the newest first; ${USUAL_TICKETS} unless given`,
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

const Result = Type.Object({
  metric: Type.Enum([...METRICS]),
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
type Result = Static<typeof Result>;

export const Simulation = Type.Object(
  {
    from: Time,
    to: Time,
    tickets: Type.Integer({ description: "How many were looked at" }),
    ...Counts,
    metPercent: Result.properties.metPercent,
    metrics: Type.Array(Result),
  },
  { title: "SlaSimulation" },
);
type Simulation = Static<typeof Simulation>;

/** What would have become of past tickets under a policy, or under a changed one. */
export async function simulate(
  ctx: ReadContext,
  policy: SlaPolicy,
  { from, to, policy: change = {}, limit = USUAL_TICKETS }: SimulationBody,
): Promise<Simulation> {
  const { tx, now, services } = ctx;
  const draft = changed(policy, change);
  assertValidPolicy(services, draft, "/policy");
  const end = to === undefined ? now : new Date(to);
  const start = from === undefined ? new Date(end.getTime() - USUAL_DAYS * DAY_MS) : new Date(from);
  if (start > end) throw invalidField("/to", "must not be before from");
  const kind = ticketKinds(services).find((one) => one.kind === draft.entity);
  if (kind) assertSeesAllTickets(kind, ctx);
  const ids = kind ? await ticketsIn(tx, kind, { start, end, limit }) : [];
  const plans = compilePlans(draft);
  const fates: Fate[][] = plans.map(() => []);
  for (let index = 0; index < ids.length; index += BATCH_TICKETS) {
    const batch = ids.slice(index, index + BATCH_TICKETS).map((id) => ({ id }));
    const histories = await historiesOf(tx, batch);
    for (const [id, history] of histories) {
      for (const [which, plan] of plans.entries()) {
        const fate = fateOf(plan, { id, history, nowMs: now.getTime() });
        if (fate) fates[which]?.push(fate);
      }
    }
  }
  const metrics = plans.map((plan, which) => resultOf(plan, fates[which] ?? []));
  return {
    from: start.toISOString(),
    to: end.toISOString(),
    tickets: ids.length,
    ...countsOf(fates.flat()),
    metrics,
  };
}

type Fate = Result["worst"][number];

function fateOf(
  plan: ClockPlan,
  past: {
    readonly id: string;
    readonly history: Parameters<typeof foldEvents>[1];
    readonly nowMs: number;
  },
): Fate | undefined {
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

function resultOf(plan: ClockPlan, fates: readonly Fate[]): Result {
  return {
    metric: plan.metric,
    targetMinutes: plan.targetMs / 60_000,
    ...countsOf(fates),
    worst: fates
      .filter(({ state }) => state !== "cancelled")
      .toSorted((left, right) => right.elapsedMs - left.elapsedMs)
      .slice(0, WORST_MAX),
  };
}

function countsOf(fates: readonly Fate[]) {
  const count = (...states: readonly string[]): number =>
    fates.filter(({ state }) => states.includes(state)).length;
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

async function ticketsIn(
  tx: Tx,
  { table }: TicketKind,
  { start, end, limit }: { readonly start: Date; readonly end: Date; readonly limit: number },
): Promise<string[]> {
  const text = `
    select id from ${table} where created_at >= $1 and created_at <= $2
     order by no desc limit ${limit}`;
  return (await queryRows(tx, text, [start, end])).map(({ id }) => String(id));
}
