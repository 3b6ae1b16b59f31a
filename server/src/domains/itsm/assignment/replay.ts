/** Applies rules to past tickets in sequence, as if each was just created. */
import { compileCondition } from "#kernel/condition/condition.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import type { TicketKind } from "../tickets/index.ts";
import { findAble, pickCandidate } from "./candidates.ts";
import type { PastTicket } from "./past-ticket.ts";
import type { RuleFields } from "./rule.ts";

/** A rule, or a draft without an id. */
export type ReplayRule = RuleFields & { readonly id: string | null };

/** The outcome for one ticket. Without a rule, no rule applied. */
export interface Choice {
  readonly ticket: PastTicket;
  readonly rule: ReplayRule | undefined;
  readonly assigneeId: string | null;
  readonly teamId: string | null;
  /** The number of tickets of the assignee at that moment. */
  readonly load: number;
}

interface Replay {
  readonly rules: readonly ReplayRule[];
  /** Oldest first. */
  readonly tickets: readonly PastTicket[];
  readonly start: Date;
  readonly end: Date;
}

/** The current state of a replay. */
interface Course {
  readonly kind: TicketKind;
  readonly rules: readonly ReplayRule[];
  /** The conditions of each rule. */
  readonly fits: ReadonlyMap<ReplayRule, (subject: unknown) => boolean>;
  readonly isAbsent: (userId: string, at: Date) => boolean;
  /** Members by rule, cached by the inputs they depend on. */
  readonly able: Map<string, readonly string[]>;
  /** The last assignee by rule. */
  readonly turns: Map<ReplayRule, string>;
  /** The open tickets of each member. */
  readonly held: Map<string, readonly PastTicket[]>;
}

/** Decides on each ticket in sequence. */
export async function replayTickets(
  ctx: ReadContext,
  kind: TicketKind,
  { rules, tickets, start, end }: Replay,
): Promise<readonly Choice[]> {
  const isAbsent = await readAbsences(ctx, start, end);
  const empty = { able: new Map(), turns: new Map(), held: new Map() };
  const fits = new Map(rules.map((rule) => [rule, compileCondition(rule.conditions)]));
  const course: Course = { kind, rules, fits, isAbsent, ...empty };
  const choices: Choice[] = [];
  // Yields, because hundreds of rules on thousands of tickets would block the event loop.
  const turn = new TurnTimer();
  for (const ticket of tickets) {
    if (turn.isOver()) await turn.next();
    choices.push(await decide(ctx, course, ticket));
  }
  return choices;
}

async function decide(ctx: ReadContext, course: Course, ticket: PastTicket): Promise<Choice> {
  const { fields, createdAt } = ticket;
  const subject = { ...fields, data: fields };
  for (const rule of fields.assigneeId === null ? course.rules : []) {
    const teamId = rule.teamId ?? fields.teamId;
    const hasOther = fields.teamId !== null && rule.teamId !== null && fields.teamId !== teamId;
    if (hasOther || !course.fits.get(rule)?.(subject)) continue;
    const candidates = await findPresent(ctx, course, rule, { teamId, at: createdAt });
    const loads = new Map(candidates.map((userId) => [userId, loadAt(course, userId, createdAt)]));
    const assigneeId = pickCandidate(rule, candidates, course.turns.get(rule) ?? "", loads);
    if (assigneeId === null && rule.teamId === null) continue;
    if (assigneeId === null) return { ticket, rule, assigneeId, teamId, load: 0 };
    course.turns.set(rule, assigneeId);
    course.held.set(assigneeId, [...(course.held.get(assigneeId) ?? []), ticket]);
    return { ticket, rule, assigneeId, teamId, load: loadAt(course, assigneeId, createdAt) };
  }
  return { ticket, rule: undefined, assigneeId: null, teamId: null, load: 0 };
}

async function findPresent(
  ctx: ReadContext,
  { kind, rules, able, isAbsent }: Course,
  rule: ReplayRule,
  { teamId, at }: { readonly teamId: string | null; readonly at: Date },
): Promise<readonly string[]> {
  // Shifts depend on the moment. Team members are the current ones.
  const moment = rule.method === "on_call" ? at.toISOString() : "";
  const key = JSON.stringify([rules.indexOf(rule), teamId, moment]);
  const known = able.get(key) ?? (await findAble(ctx, kind, rule, { teamId, at }));
  able.set(key, known);
  return known.filter((userId) => !isAbsent(userId, at));
}

/** Counts the assigned tickets of a member that are open at a moment. Drops ended ones. */
function loadAt({ held }: Course, userId: string, at: Date): number {
  const all = held.get(userId) ?? [];
  const open = all.filter(({ endedAt }) => endedAt === null || endedAt > at);
  held.set(userId, open);
  return open.length;
}

const ABSENCES_MAX = 10_000;

/** SQL for the absences in a time range. */
async function readAbsences(
  { tx }: ReadContext,
  start: Date,
  end: Date,
): Promise<(userId: string, at: Date) => boolean> {
  const text = `
    select user_id, starts_at, ends_at from absences
     where starts_at <= $2 and ends_at > $1 order by id limit ${ABSENCES_MAX}`;
  const rows = await queryRows(tx, text, [start, end]);
  const absences = rows.map((row) => ({
    userId: String(row["user_id"]),
    from: new Date(String(row["starts_at"])),
    until: new Date(String(row["ends_at"])),
  }));
  const byPerson = Map.groupBy(absences, ({ userId }) => userId);
  return (userId, at) =>
    byPerson.get(userId)?.some(({ from, until }) => from <= at && at < until) ?? false;
}
