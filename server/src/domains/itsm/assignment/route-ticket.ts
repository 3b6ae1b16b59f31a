/**
 * Assigns tickets to members and teams by rules, in the transaction that creates, reopens or moves them. Rules with
 * turns first lock a row, so that concurrent tickets see each other's assignment.
 */
import Type, { type Static } from "typebox";
import { compileCondition } from "#kernel/condition/condition.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { event, type EventType } from "#kernel/log/event.ts";
import { id, nullable } from "#kernel/schema/schema.ts";
import { type TicketKind, ticketRefOf } from "../tickets/index.ts";
import { findCandidates, pickCandidate, type RoutableTicket, takesTurns } from "./candidates.ts";
import { CAUSES, type Cause, METHODS, type Rule } from "./rule.ts";

const RULES_MAX = 200;

const RoutingData = Type.Object(
  {
    ruleId: id("asr"),
    ruleName: Type.String(),
    method: Type.Enum([...METHODS]),
    cause: Type.Enum([...CAUSES]),
    assigneeId: nullable(Type.String()),
    teamId: nullable(Type.String()),
  },
  { title: "TicketRouting" },
);
type RoutingData = Static<typeof RoutingData>;
type RoutedEvent = EventType<`${string}.routed`, typeof RoutingData>;

const routedEvents = new Map<string, RoutedEvent>();

/** The event for an assignment by a rule, one per ticket kind. */
export function ticketRouted({ kind }: Pick<TicketKind, "kind">): RoutedEvent {
  let routed = routedEvents.get(kind);
  if (!routed) {
    routed = event(`${kind}.routed`, {
      resource: kind,
      summary: "An assignment rule assigned a ticket to a member or a team.",
      data: RoutingData,
    });
    routedEvents.set(kind, routed);
  }
  return routed;
}

/** The ticket fields set by a rule, and the rule. */
export interface Routing {
  readonly fields: RoutableTicket;
  readonly data: RoutingData;
}

/** Applies the rules to a ticket before it is written. Undefined if no rule applies. */
export async function routeTicket(
  ctx: WriteContext<never>,
  kind: TicketKind,
  cause: Cause,
  ticket: RoutableTicket,
): Promise<Routing | undefined> {
  if (ticket.assigneeId !== null && !(await isGone(ctx, kind, cause, ticket.assigneeId))) return;
  const found = await findRules(ctx.tx, kind.kind, cause);
  const subject = { ...ticket, data: ticket };
  for (const rule of found) {
    const teamId = rule.teamId ?? ticket.teamId;
    const hasOther =
      ticket.teamId !== null && rule.teamId !== null && ticket.teamId !== rule.teamId;
    if (hasOther || !compileCondition(rule.conditions)(subject)) continue;
    const assigneeId = await chooseAssignee(ctx, kind, rule, teamId);
    // Without present members a rule without a team does not apply.
    if (assigneeId === null && rule.teamId === null) continue;
    const { id: ruleId, name: ruleName, method } = rule;
    const fields = { assigneeId, teamId };
    return { fields, data: { ruleId, ruleName, method, cause, ...fields } };
  }
  return undefined;
}

/** Emits which rule assigned a ticket, if any. */
export function emitRouting(
  ctx: WriteContext<RoutedEvent>,
  kind: Pick<TicketKind, "kind">,
  ticket: { readonly id: string; readonly number: string; readonly title: string },
  routing: Routing | undefined,
): void {
  if (routing) ctx.emit(ticketRouted(kind), ticketRefOf(ticket), routing.data);
}

/** True if the assignee of a reopened ticket cannot work on it now. */
async function isGone(
  ctx: WriteContext<never>,
  kind: TicketKind,
  cause: Cause,
  userId: string,
): Promise<boolean> {
  if (cause !== "reopened") return false;
  const only = { method: "fixed", userIds: [userId] } as unknown as Rule;
  const there = await findCandidates(ctx, kind, only, { teamId: null, at: ctx.now });
  return there.length === 0;
}

const FIND = `
  select id, name, entity, position, conditions, on_events as "on", method, team_id as "teamId",
         user_ids as "userIds", schedule_id as "scheduleId", active, created_by as "createdBy",
         created_at as "createdAt", updated_at as "updatedAt"
    from assignment_rules where entity = $1 and active and $2 = any(on_events)
   order by position, id limit ${RULES_MAX}`;

async function findRules(tx: Tx, entity: string, cause: Cause): Promise<readonly Rule[]> {
  // Columns and fields have the same names; values were validated when saved.
  return queryRows<Rule>(tx, FIND, [entity, cause]);
}

async function chooseAssignee(
  ctx: WriteContext<never>,
  kind: TicketKind,
  rule: Rule,
  teamId: string | null,
): Promise<string | null> {
  const candidates = await findCandidates(ctx, kind, rule, { teamId, at: ctx.now });
  if (!takesTurns(rule) || candidates.length === 0)
    return pickCandidate(rule, candidates, "", NONE);
  const last = await lockCursor(ctx, rule.id);
  const loads = rule.method === "least_load" ? await countLoads(ctx, candidates) : NONE;
  const chosen = pickCandidate(rule, candidates, last, loads);
  await ctx.send("update assignment_cursors set user_id = $2 where rule_id = $1", [
    rule.id,
    chosen ?? "",
  ]);
  return chosen;
}

const NONE: ReadonlyMap<string, number> = new Map();

const LOCK = `
  insert into assignment_cursors (rule_id, user_id) values ($1, '')
  on conflict (workspace_id, environment, rule_id) do update set user_id = assignment_cursors.user_id
  returning user_id as last`;

/** Waits until no other ticket is assigned by the rule, and reads the last assignee. */
async function lockCursor(ctx: WriteContext<never>, ruleId: string): Promise<string> {
  const [row] = await ctx.send<{ last: string }>(LOCK, [ruleId]);
  return row?.last ?? "";
}

const LOADS = `
  select assignee_id as "userId", count(*)::int as n from tickets
   where is_open and assignee_id = any($1::text[]) group by assignee_id`;

async function countLoads(
  { tx }: Pick<ReadContext, "tx">,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await queryRows(tx, LOADS, [userIds]);
  return new Map(rows.map(({ userId, n }) => [String(userId), Number(n)]));
}
