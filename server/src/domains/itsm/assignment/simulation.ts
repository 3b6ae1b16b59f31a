/** Assignment rules tried on past tickets: who would have got which, and how many each would have had. */
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
    before: Type.Integer({ description: "How many of the tickets they have now" }),
    after: Type.Integer({ description: "How many the rules would have given them" }),
    openMax: Type.Integer({ description: "How many of those would have been open at once" }),
  },
  { title: "SimulatedLoad" },
);

const Difference = Type.Object(
  {
    ticketId: Type.String(),
    number: Type.String(),
    title: Type.String(),
    before: nullable(Type.String({ description: "Who has it now" })),
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
    tickets: Type.Integer({ description: "How many were looked at" }),
    assigned: Type.Integer({ description: "To a person" }),
    toTeam: Type.Integer({ description: "To a team, and nobody in it" }),
    untouched: Type.Integer({ description: "No rule fits them, or they named somebody" }),
    people: Type.Array(Person, { description: "Those who get the most first" }),
    rules: Type.Array(
      Type.Object({
        ruleId: nullable(Type.String({ description: "Null of a draft" })),
        name: Type.String(),
        tickets: Type.Integer(),
      }),
      { description: "In their order" },
    ),
    changed: Type.Array(Difference, {
      description: `Tickets that somebody else has now; at most ${CHANGED_MAX}`,
    }),
    changedCount: Type.Integer(),
    sameCount: Type.Integer({ description: "Tickets whose holder the rules choose too" }),
  },
  { title: "AssignmentSimulation" },
);
type Simulation = Static<typeof Simulation>;

const SimulationInput = object({
  entity: RuleInput.properties.entity,
  rule: Type.Optional(RuleInput),
  replaces: Type.Optional(id("asr", "The rule that `rule` takes the place of")),
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TICKETS_MAX,
      description: `Of tickets, the newest first; ${DEFAULT_TICKETS} unless given`,
    }),
  ),
});
type SimulationInput = Static<typeof SimulationInput>;

export const simulateRules = query({
  id: "assignment_rules.simulate",
  route: "POST /api/v1/itsm/assignment-rules/simulate",
  summary: "See who would have got past tickets by the assignment rules",
  description:
    "Of the tickets that were made between `from` and `to` (the last 30 days unless given), as they were when they " +
    "were made: by the active rules for new tickets and, where `rule` is given, with that among them. Absences and " +
    "shifts are those of that time, teams and permissions those of now; turns begin anew, and each one's load is " +
    "that of the tickets that are looked at.",
  permission: DeskRead,
  environmentScoped: true,
  body: SimulationInput,
  response: item(Simulation),
  example: {
    body: {
      entity: "incident",
      limit: 200,
      rule: {
        name: "Network in turn",
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

/** A kind of which the caller sees all tickets; throws a 403 for the others. */
function getVisibleKind({ services, caller }: ReadContext, entity: string): TicketKind {
  const kind = ticketKinds(services).find((one) => one.kind === entity);
  if (!kind) throw invalidField("/entity", "is not a kind of ticket");
  if (holdsPermission(caller.permissions, kind.read) && !seesOwnOnly(kind, caller)) return kind;
  const detail = `This takes the permission ${kind.reporting.permission.name} too.`;
  throw new Failure(Forbidden, { detail });
}

/** The rules to try, in their order. */
async function resolveRules(
  ctx: ReadContext,
  { entity, rule, replaces }: SimulationInput,
): Promise<readonly ReplayRule[]> {
  const where = `entity = $1 and active order by position, id limit ${RULES_MAX}`;
  const active: readonly Rule[] = await rules.store.select(ctx.tx, where, [entity]);
  const kept: readonly ReplayRule[] = active.filter((one) => one.id !== replaces);
  if (!rule) return kept.filter(appliesToNew);
  if (rule.entity !== entity) throw invalidField("/rule/entity", "must be the entity");
  const replaced = replaces === undefined ? undefined : await rules.store.find(ctx.tx, replaces);
  if (replaces !== undefined && !replaced) {
    throw invalidField("/replaces", "is not the id of an assignment rule");
  }
  const draft = { ...RULE_DEFAULTS, ...rule };
  // Whom it names and who is not there gets nothing; to look for them would lock them.
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
