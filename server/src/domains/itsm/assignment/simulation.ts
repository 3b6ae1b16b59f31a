/** Simulates assignment rules on past tickets: the assignee of each ticket, and the number of tickets per member. */
import Type, { type Static } from "typebox";
import { holdsPermission } from "#kernel/access/permission.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, InputTime, nullable, object, Time } from "#kernel/schema/schema.ts";
import { DeskRead, seesOwnOnly, type TicketKind, ticketKinds } from "../tickets/index.ts";
import { readPastTickets } from "./past-ticket.ts";
import { assertRuleShape, RULE_DEFAULTS, type Rule, RuleInput, rules } from "./rule.ts";
import { type Choice, type ReplayRule, replayTickets } from "./replay.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DEFAULT_TICKETS = 500;
const TICKETS_MAX = 2_000;
const CHANGED_MAX = 100;
const RULES_MAX = 200;

const Person = Type.Object(
  {
    userId: Type.String(),
    before: Type.Integer({ description: "Number of these tickets that the member currently has" }),
    after: Type.Integer({
      description: "Number of these tickets that the rules assign to the member",
    }),
    openMax: Type.Integer({
      description:
        "Maximum number of these tickets that the member would have open at the same time",
    }),
  },
  { title: "SimulatedLoad" },
);

const Difference = Type.Object(
  {
    ticketId: Type.String(),
    number: Type.String(),
    title: Type.String(),
    before: nullable(Type.String({ description: "Current assignee" })),
    after: nullable(Type.String()),
    teamId: nullable(Type.String()),
    rule: Type.String({ description: "The name of the rule" }),
  },
  { title: "AssignmentDifference" },
);

const Simulation = Type.Object(
  {
    from: Time,
    to: Time,
    tickets: Type.Integer({ description: "Number of tickets in the simulation" }),
    assigned: Type.Integer({ description: "Tickets assigned to a member" }),
    toTeam: Type.Integer({ description: "Tickets assigned to a team without an assignee" }),
    untouched: Type.Integer({
      description: "Tickets that match no rule, or that were created with an assignee",
    }),
    people: Type.Array(Person, { description: "Sorted by number of tickets, highest first" }),
    rules: Type.Array(
      Type.Object({
        ruleId: nullable(Type.String({ description: "Null for a rule that is not saved" })),
        name: Type.String(),
        tickets: Type.Integer(),
      }),
      { description: "In order" },
    ),
    changed: Type.Array(Difference, {
      description: `Tickets that the rules assign to a different member; at most ${CHANGED_MAX}`,
    }),
    changedCount: Type.Integer(),
    sameCount: Type.Integer({
      description: "Tickets for which the rules choose the current assignee",
    }),
  },
  { title: "AssignmentSimulation" },
);
type Simulation = Static<typeof Simulation>;

const SimulationInput = object({
  entity: RuleInput.properties.entity,
  rule: Type.Optional(RuleInput),
  replaces: Type.Optional(id("asr", "The rule that `rule` replaces")),
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TICKETS_MAX,
      description: `Maximum number of tickets, starting with the newest. Default: ${DEFAULT_TICKETS}`,
    }),
  ),
});
type SimulationInput = Static<typeof SimulationInput>;

export const simulateRules = query({
  id: "assignment_rules.simulate",
  route: "POST /api/v1/itsm/assignment-rules/simulate",
  summary: "Simulate assignment rules on past tickets",
  description:
    "Applies the active rules for new tickets, and `rule` if given, to the tickets created between `from` and `to`. Default: the last 30 days. The simulation uses each ticket as it was at its creation, and the absences and shifts of that time, but the current teams and permissions. Round robin starts from the beginning, and the load counts only the tickets in the simulation.",
  permission: DeskRead,
  environmentScoped: true,
  body: SimulationInput,
  response: item(Simulation),
  example: {
    body: {
      entity: "incident",
      limit: 200,
      rule: {
        name: "Network round robin",
        entity: "incident",
        conditions: { category: "network" },
        method: "round_robin",
        teamId: "tem_01jzt3n5k8q2x4v6w8y0z2b4d6",
      },
    },
  },
  run: (ctx, { body }) => simulate(ctx, body),
});

async function simulate(ctx: ReadContext, input: SimulationInput): Promise<Simulation> {
  const { from, to, limit = DEFAULT_TICKETS } = input;
  const kind = getVisibleKind(ctx, input.entity);
  const end = to === undefined ? ctx.now : new Date(to);
  const start =
    from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from);
  if (start > end) throw invalidField("/to", "must not be before from");
  const tried = await resolveRules(ctx, input);
  const tickets = await readPastTickets(ctx.tx, kind, { start, end, limit });
  const choices = await replayTickets(ctx, kind, { rules: tried, tickets, start, end });
  const made = choices.filter((choice) => choice.rule !== undefined);
  const changed = made.filter(({ ticket, assigneeId }) => ticket.present !== assigneeId);
  return {
    from: start.toISOString(),
    to: end.toISOString(),
    tickets: tickets.length,
    assigned: made.filter(({ assigneeId }) => assigneeId !== null).length,
    toTeam: made.filter(({ assigneeId }) => assigneeId === null).length,
    untouched: choices.length - made.length,
    people: countPeople(choices),
    rules: tried.map((rule) => ({
      ruleId: rule.id,
      name: rule.name,
      tickets: made.filter((choice) => choice.rule === rule).length,
    })),
    changed: changed.slice(0, CHANGED_MAX).map(toDifference),
    changedCount: changed.length,
    sameCount: made.length - changed.length,
  };
}

/** A kind of ticket that the caller can see completely. Throws 403 for others. */
function getVisibleKind({ services, caller }: ReadContext, entity: string): TicketKind {
  const kind = ticketKinds(services).find((one) => one.kind === entity);
  if (!kind) throw invalidField("/entity", "is not a kind of ticket");
  if (holdsPermission(caller.permissions, kind.read) && !seesOwnOnly(kind, caller)) return kind;
  const detail = `This also requires the permission ${kind.reporting.permission.name}.`;
  throw new Failure(Forbidden, { detail });
}

/** The rules to simulate, in order. */
async function resolveRules(
  ctx: ReadContext,
  { entity, rule, replaces }: SimulationInput,
): Promise<readonly ReplayRule[]> {
  const where = `entity = $1 and active order by position, id limit ${RULES_MAX}`;
  const active: readonly Rule[] = await rules.store.select(ctx.tx, where, [entity]);
  const kept: readonly ReplayRule[] = active.filter((one) => one.id !== replaces);
  if (!rule) return kept.filter(appliesToNew);
  if (rule.entity !== entity) throw invalidField("/rule/entity", "must be the same as /entity");
  const replaced = replaces === undefined ? undefined : await rules.store.find(ctx.tx, replaces);
  if (replaces !== undefined && !replaced) {
    throw invalidField("/replaces", "is not the id of an assignment rule");
  }
  const draft = { ...RULE_DEFAULTS, ...rule };
  // Only the shape is checked. Looking up references would lock them, and members that do not exist get no tickets.
  assertRuleShape(draft, "/rule");
  const tried = { ...draft, id: replaces ?? null };
  return [...kept, ...(draft.active ? [tried] : [])]
    .toSorted((one, other) => one.position - other.position)
    .filter(appliesToNew);
}

function appliesToNew({ on }: Pick<Rule, "on">): boolean {
  return on.includes("created");
}

function countPeople(choices: readonly Choice[]): Simulation["people"] {
  const counts = new Map<string, { before: number; after: number; openMax: number }>();
  const count = (userId: string | null, change: "before" | "after", load = 0) => {
    if (userId === null) return;
    const own = counts.get(userId) ?? { before: 0, after: 0, openMax: 0 };
    own[change] += 1;
    own.openMax = Math.max(own.openMax, load);
    counts.set(userId, own);
  };
  for (const { ticket, rule, assigneeId, load } of choices) {
    count(ticket.present, "before");
    if (rule) count(assigneeId, "after", load);
  }
  return [...counts]
    .map(([userId, own]) => ({ userId, ...own }))
    .toSorted((one, other) => other.after - one.after || (one.userId < other.userId ? -1 : 1));
}

function toDifference({ ticket, assigneeId, teamId, rule }: Choice): Static<typeof Difference> {
  const { id: ticketId, number, title, present } = ticket;
  return {
    ticketId,
    number,
    title,
    before: present,
    after: assigneeId,
    teamId,
    rule: rule?.name ?? "",
  };
}
