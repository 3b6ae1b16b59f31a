import Type, { type Static } from "typebox";
import { ticketKinds, type TicketKind } from "../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { mapInTurns, runInTurns, type Steps } from "#kernel/work/turn-timer.ts";
import { InputTime, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { foldEvents, type ClockPlan } from "./clocks/clock-fold.ts";
import { readTicketHistories } from "./clocks/ticket-history.ts";
import { findCalendar } from "./calendars/calendar.ts";
import { ticketFieldsOf, toIso } from "./clocks/clock-row.ts";
import { compilePlans } from "./clocks/policy-targets.ts";
import {
  applyPolicyChange,
  assertValidPolicy,
  METRICS,
  PolicyChange,
  type PolicyFields,
  PolicyId,
  PolicyInput,
  toPolicyFields,
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
const CHANGED_MAX = 100;
/** A simulation locks nothing. */
const SIMULATED = { at: "/policy", find: findCalendar };

const { entity: _, ...changeable } = PolicyChange.properties;

const span = {
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5_000,
      description: `Maximum number of tickets, starting with the newest. Default: ${DEFAULT_TICKETS}`,
    }),
  ),
};
const SimulationBody = object({ ...span, policy: Type.Optional(patch(changeable)) });
type SimulationSpan = Omit<Static<typeof SimulationBody>, "policy">;

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
    Type.Number({ description: "Share of clocks that were met. Null if none was met or breached" }),
  ),
  worst: Type.Array(
    Type.Object({
      ticketId: Type.String(),
      number: nullable(Type.String()),
      title: nullable(Type.String()),
      state: Type.Enum([...CLOCK_STATES]),
      elapsedMs: Type.Integer(),
      overMs: Type.Integer({ description: "Time used beyond the target" }),
      startedAt: Time,
      dueAt: nullable(Time),
      stoppedAt: nullable(Time),
    }),
  ),
});
type MetricResult = Static<typeof MetricResult>;

const Verdict = nullable(Type.Enum([...CLOCK_STATES], { description: "Null without this target" }));
const Difference = Type.Object(
  {
    ticketId: Type.String(),
    number: nullable(Type.String()),
    title: nullable(Type.String()),
    target: Type.String(),
    before: Verdict,
    after: Verdict,
  },
  { title: "SlaSimulationDifference" },
);
type Difference = Static<typeof Difference>;

const Simulation = Type.Object(
  {
    from: Time,
    to: Time,
    tickets: Type.Integer({ description: "Number of tickets in the simulation" }),
    ...Counts,
    metPercent: MetricResult.properties.metPercent,
    metrics: Type.Array(MetricResult),
    before: nullable(
      Type.Object(
        { ...Counts, metPercent: MetricResult.properties.metPercent },
        { description: "Result of the current policy. Null if nothing is changed" },
      ),
    ),
    changed: Type.Array(Difference, {
      description: `Clocks with a different result than under the current policy; at most ${CHANGED_MAX}`,
    }),
    changedCount: Type.Integer(),
    sameCount: Type.Integer({ description: "Clocks with the same result" }),
  },
  { title: "SlaSimulation" },
);
type Simulation = Static<typeof Simulation>;

export const simulatePolicy = query({
  id: "sla.simulate",
  route: "POST /api/v1/itsm/sla-policies/{id}/simulate",
  summary: "Simulate a changed SLA policy on past tickets",
  description:
    "Uses the log of the tickets created between `from` and `to` (default: the last 30 days). `policy` contains the fields to change.",
  permission: SlaRead,
  oneAtATime: true,
  params: object({ id: PolicyId }),
  body: SimulationBody,
  bodyOptional: true,
  response: item(Simulation),
  example: {
    params: { id: "slp_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    body: { limit: 500, policy: { targets: [{ metric: "resolution", minutes: 120 }] } },
  },
  async run(ctx, { params, body: { policy: change, ...asked } }) {
    const policy = await policies.store.get(ctx.tx, params.id);
    const before = applyPolicyChange(policy, {});
    const after = applyPolicyChange(policy, await resolveCalendar(ctx.tx, change ?? {}, SIMULATED));
    return simulate(ctx, { after, ...(change && { before }) }, asked);
  },
});

export const simulateDraft = query({
  id: "sla.simulate_draft",
  route: "POST /api/v1/itsm/sla-policies/simulate",
  summary: "Simulate a new SLA policy on past tickets",
  description: "Works like `sla.simulate`, for a policy that is not saved.",
  permission: SlaRead,
  oneAtATime: true,
  body: object({ ...span, policy: PolicyInput }),
  response: item(Simulation),
  example: {
    body: {
      policy: {
        name: "Critical incidents",
        entity: "incident",
        targets: [{ metric: "resolution", minutes: 120 }],
      },
    },
  },
  async run(ctx, { body: { policy, ...asked } }) {
    const after = toPolicyFields(await resolveCalendar(ctx.tx, policy, SIMULATED));
    return simulate(ctx, { after }, asked);
  },
});

interface Drafts {
  readonly after: PolicyFields;
  readonly before?: PolicyFields;
}

/** Simulates a policy on past tickets. For a changed policy, compares the results. */
async function simulate(
  ctx: ReadContext,
  { after, before }: Drafts,
  { from, to, limit = DEFAULT_TICKETS }: SimulationSpan,
): Promise<Simulation> {
  const { tx, now, services } = ctx;
  assertValidPolicy(services, after, "/policy");
  const end = to === undefined ? now : new Date(to);
  const start =
    from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from);
  if (start > end) throw invalidField("/to", "must not be before from");
  const kind = ticketKinds(services).find(({ kind: name }) => name === after.entity);
  if (kind) assertSeesAllTickets(kind, ctx);
  const ids = kind ? await listTicketIds(tx, kind, { start, end, limit }) : [];
  const course = compileCourse(after);
  const former = before && compileCourse(before);
  for (let index = 0; index < ids.length; index += BATCH_TICKETS) {
    const batch = ids.slice(index, index + BATCH_TICKETS).map((id) => ({ id }));
    const histories = await readTicketHistories(tx, batch);
    for (const [id, history] of histories) {
      const past = { id, history, nowMs: now.getTime() };
      await runInTurns(foldInto(course, past));
      if (former) await runInTurns(foldInto(former, past));
    }
  }
  const changed = former ? await runInTurns(findDifferences(former, course)) : [];
  return {
    from: start.toISOString(),
    to: end.toISOString(),
    tickets: ids.length,
    ...countStates(course.clocks.flat()),
    metrics: await mapInTurns([...course.plans.entries()], ([index, plan]) => [
      toMetricResult(plan, course.clocks[index] ?? []),
    ]),
    before: former ? countStates(former.clocks.flat()) : null,
    changed: changed.slice(0, CHANGED_MAX),
    changedCount: changed.length,
    sameCount: former ? countClocks(former, course) - changed.length : 0,
  };
}

/** The targets of a policy, and their results on past tickets. */
interface Course {
  readonly plans: readonly ClockPlan[];
  readonly clocks: SimulatedClock[][];
}

function compileCourse(policy: PolicyFields): Course {
  const plans = compilePlans(policy);
  return { plans, clocks: plans.map(() => []) };
}

function* foldInto(
  { plans, clocks }: Course,
  past: Parameters<typeof simulateClock>[1],
): Steps<void> {
  for (const [index, plan] of plans.entries()) {
    const simulated = simulateClock(plan, past);
    if (simulated) clocks[index]?.push(simulated);
    yield;
  }
}

const ENDS: Readonly<Record<string, string>> = { running: "open", paused: "open" };
const endOf = (state: string | undefined): string => ENDS[state ?? ""] ?? state ?? "none";

/** The tickets with different results by target, new breaches first. */
function* findDifferences(before: Course, after: Course): Steps<readonly Difference[]> {
  const names = new Set([...before.plans, ...after.plans].map(({ name }) => name));
  const differences: Difference[] = [];
  for (const target of names) {
    differences.push(...findTargetDifferences(target, before, after));
    yield;
  }
  const rank = ({ after: state }: Difference): number => (state === "breached" ? 0 : 1);
  return differences.toSorted((one, other) => rank(one) - rank(other));
}

function findTargetDifferences(
  target: string,
  before: Course,
  after: Course,
): readonly Difference[] {
  const [old, now] = [before, after].map(
    ({ plans, clocks }) =>
      new Map(
        clocks[plans.findIndex(({ name }) => name === target)]?.map((one) => [one.ticketId, one]),
      ),
  );
  const ids = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...ids].flatMap((ticketId): Difference[] => {
    const [was, is] = [old?.get(ticketId), now?.get(ticketId)];
    if (endOf(was?.state) === endOf(is?.state)) return [];
    const { number = null, title = null } = is ?? was ?? {};
    const verdicts = { before: was?.state ?? null, after: is?.state ?? null };
    return [{ ticketId, number, title, target, ...verdicts }];
  });
}

/** The number of clocks under either policy. */
function countClocks(...courses: readonly Course[]): number {
  const keys = courses.flatMap(({ plans, clocks }) =>
    plans.flatMap(({ name }, index) =>
      (clocks[index] ?? []).map((one) => `${one.ticketId} ${name}`),
    ),
  );
  return new Set(keys).size;
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
