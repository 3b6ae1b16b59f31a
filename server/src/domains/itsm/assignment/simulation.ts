/** The assignment rules, as they are or as they might be, on tickets of the past. */
import Type, { type Static } from "typebox";
import { compileCondition } from "#kernel/condition/condition.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { readResourceHistory } from "#kernel/log/resource-history.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, InputTime, nullable, object, Time } from "#kernel/schema/schema.ts";
import {
  DeskRead,
  seesOwnOnly,
  TICKET_KINDS,
  type TicketKind,
  ticketKinds,
} from "../tickets/index.ts";
import { findCandidates, pickCandidate, type RoutableTicket, takesTurns } from "./candidates.ts";
import { assertRule, RULE_DEFAULTS, type RuleFields, RuleInput, rules } from "./rule.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DEFAULT_TICKETS = 500;
const TICKETS_MAX = 2_000;
const SHOWN_MAX = 200;
const DRAFTS_MAX = 50;
const BATCH_TICKETS = 200;
/** A rule's event follows that of the creation at once. */
const FIRST_EVENTS = 4;

const SimulationBody = object({
  entity: Type.Optional(Type.Enum([...TICKET_KINDS], { description: "`incident` unless given" })),
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TICKETS_MAX })),
  rules: Type.Optional(
    Type.Array(RuleInput, {
      maxItems: DRAFTS_MAX,
      description: "In the place of all rules that there are",
    }),
  ),
});
type SimulationBody = Static<typeof SimulationBody>;

const Result = Type.Object({
  ticketId: Type.String(),
  number: Type.String(),
  title: Type.String(),
  createdAt: Time,
  rule: nullable(Type.String({ description: "The name of the rule that fits" })),
  teamId: nullable(Type.String()),
  assigneeId: nullable(Type.String({ description: "Who would have got it" })),
  actualAssigneeId: nullable(Type.String({ description: "Who has it, or had it in the end" })),
});
type Result = Static<typeof Result>;

const Simulation = Type.Object(
  {
    from: Time,
    to: Time,
    tickets: Type.Integer(),
    named: Type.Integer({ description: "Those that named somebody, and are left alone" }),
    unmatched: Type.Integer({ description: "Those that no rule fits" }),
    rules: Type.Array(Type.Object({ name: Type.String(), tickets: Type.Integer() })),
    people: Type.Array(Type.Object({ userId: id("usr"), tickets: Type.Integer() })),
    results: Type.Array(Result, { description: `The first ${SHOWN_MAX}` }),
  },
  { title: "AssignmentSimulation" },
);

export const simulateRules = query({
  id: "assignment_rules.simulate",
  route: "POST /api/v1/itsm/assignment-rules/simulate",
  summary: "See who would have got past tickets",
  description:
    "Of those that were made between `from` and `to`, the last 30 days unless given, as they were then. Absences and " +
    "on-call turns are those of that time; teams and members those of today; a load is what the simulation gave.",
  permission: DeskRead,
  environmentScoped: true,
  body: SimulationBody,
  bodyOptional: true,
  response: item(Simulation),
  example: { body: { entity: "incident", limit: 200 } },
  run: (ctx, { body }) => simulate(ctx, body ?? {}),
});

async function simulate(
  ctx: ReadContext,
  body: SimulationBody,
): Promise<Static<typeof Simulation>> {
  const { entity = "incident", limit = DEFAULT_TICKETS } = body;
  const to = body.to === undefined ? ctx.now : new Date(body.to);
  const from =
    body.from === undefined ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(body.from);
  if (from > to) throw invalidField("/to", "must not be before from");
  const kind = ticketKinds(ctx.services).find((one) => one.kind === entity);
  if (!kind || !ctx.caller.permissions.has(kind.read.name) || seesOwnOnly(kind, ctx.caller)) {
    throw new Failure(Forbidden, { detail: "This is for those who see all such tickets." });
  }
  const applied = await readRules(ctx, entity, body.rules);
  const past = await readPastTickets(ctx.tx, kind, { from, to, limit });
  const open = past.filter(({ isNamed }) => !isNamed);
  const results = await assignAll(ctx, kind, applied, open);
  const count = (name: (one: Result) => string | null) =>
    Map.groupBy(
      results.filter((one) => name(one) !== null),
      (one) => name(one) ?? "",
    );
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    tickets: past.length,
    named: past.length - open.length,
    unmatched: results.filter(({ rule }) => rule === null).length,
    rules: [...count(({ rule }) => rule)].map(([name, all]) => ({ name, tickets: all.length })),
    people: [...count(({ assigneeId }) => assigneeId)]
      .map(([userId, all]) => ({ userId, tickets: all.length }))
      .toSorted((left, right) => right.tickets - left.tickets),
    results: results.slice(0, SHOWN_MAX),
  };
}

/** The rules to try: drafts, checked as if they were saved, or those that there are. */
async function readRules(
  ctx: ReadContext,
  entity: string,
  drafts: SimulationBody["rules"],
): Promise<readonly RuleFields[]> {
  if (drafts) {
    for (const [index, draft] of drafts.entries()) {
      await assertRule(ctx, { ...RULE_DEFAULTS, ...draft }, draft, `/rules/${index}`);
    }
  }
  const all: readonly RuleFields[] = drafts
    ? drafts.map((draft) => ({ ...RULE_DEFAULTS, ...draft }))
    : await readSaved(ctx.tx);
  return all
    .filter((rule) => rule.active && rule.entity === entity && rule.on.includes("created"))
    .toSorted((left, right) => left.position - right.position);
}

async function readSaved(tx: Tx): Promise<readonly RuleFields[]> {
  const ids = await tx
    .selectFrom("assignment_rules")
    .select("id")
    .orderBy("position")
    .orderBy("id")
    .execute();
  return Promise.all(ids.map((row) => rules.store.get(tx, row.id)));
}

interface PastTicket {
  readonly ticket: RoutableTicket & Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly actualAssigneeId: string | null;
  /** True where whoever made it named an assignee. */
  readonly isNamed: boolean;
}

async function readPastTickets(
  tx: Tx,
  { kind }: TicketKind,
  { from, to, limit }: { readonly from: Date; readonly to: Date; readonly limit: number },
): Promise<readonly PastTicket[]> {
  const text = `
    select id, assignee_id as "assigneeId" from tickets
     where kind = $1 and created_at >= $2 and created_at <= $3 order by created_at desc, seq desc limit $4`;
  const rows = (await queryRows(tx, text, [kind, from, to, limit])).toReversed();
  const past: PastTicket[] = [];
  for (let start = 0; start < rows.length; start += BATCH_TICKETS) {
    const batch = rows.slice(start, start + BATCH_TICKETS);
    const histories = await readResourceHistory(
      tx,
      batch.map((row) => ({ id: String(row["id"]) })),
      { limit: FIRST_EVENTS },
    );
    for (const row of batch) {
      const events = histories.get(String(row["id"])) ?? [];
      const { assigneeId } = row;
      past.push(...toPastTicket(events, typeof assigneeId === "string" ? assigneeId : null));
    }
  }
  return past;
}

function toPastTicket(
  events: readonly RecordedEvent[],
  actualAssigneeId: string | null,
): PastTicket[] {
  const made = events.find(({ type }) => type.endsWith(".created"));
  if (!made) return [];
  const routed = events.some(({ type }) => type.endsWith(".routed"));
  const data = made.data as unknown as PastTicket["ticket"];
  // A decision of a rule of that time is forgotten; what somebody said stays.
  const ticket = { ...data, assigneeId: null, teamId: routed ? null : (data.teamId ?? null) };
  const isNamed = !routed && typeof data.assigneeId === "string";
  return [{ ticket, createdAt: made.createdAt, actualAssigneeId, isNamed }];
}

async function assignAll(
  ctx: ReadContext,
  kind: TicketKind,
  applied: readonly RuleFields[],
  past: readonly PastTicket[],
): Promise<readonly Result[]> {
  const tries = applied.map((rule) => ({
    rule,
    fits: compileCondition(rule.conditions),
    last: "",
  }));
  const loads = new Map<string, number>();
  const results: Result[] = [];
  for (const { ticket, createdAt, actualAssigneeId } of past) {
    let [rule, assigneeId, teamId]: [string | null, string | null, string | null] = [
      null,
      null,
      ticket.teamId,
    ];
    for (const one of tries) {
      const given = one.rule.teamId;
      const hasOther = ticket.teamId !== null && given !== null && ticket.teamId !== given;
      if (hasOther || !one.fits({ ...ticket, data: ticket })) continue;
      const at = { teamId: given ?? ticket.teamId, at: new Date(createdAt) };
      const candidates = await findCandidates(ctx, kind, one.rule, at);
      const chosen = pickCandidate(one.rule, candidates, one.last, loads);
      if (chosen === null && given === null) continue;
      if (takesTurns(one.rule)) one.last = chosen ?? one.last;
      if (chosen !== null) loads.set(chosen, (loads.get(chosen) ?? 0) + 1);
      [rule, assigneeId, teamId] = [one.rule.name, chosen, at.teamId];
      break;
    }
    const { id: ticketId, number, title } = ticket as unknown as Record<string, string>;
    results.push({
      ticketId: ticketId ?? "",
      number: number ?? "",
      title: title ?? "",
      createdAt,
      rule,
      teamId,
      assigneeId,
      actualAssigneeId,
    });
  }
  return results;
}
