/** The people whom a rule may choose, and whose turn it is. */
import { findMembersWithPermission } from "#domains/identity/accounts/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { findOnCall } from "../oncall/index.ts";
import { findTeamMemberIds, type TicketKind } from "../tickets/index.ts";
import { findAbsent } from "./absence.ts";
import type { RuleFields } from "./rule.ts";

/** A ticket, as far as rules have to know it. */
export interface RoutableTicket {
  readonly assigneeId: string | null;
  readonly teamId: string | null;
}

/** Finds who may get a ticket by a rule at a moment, in the order of their turns. */
export async function findCandidates(
  ctx: Pick<ReadContext, "tx" | "services">,
  { write }: Pick<TicketKind, "write">,
  rule: RuleFields,
  { teamId, at }: { readonly teamId: string | null; readonly at: Date },
): Promise<readonly string[]> {
  const able = await findAble(ctx, { write }, rule, { teamId, at });
  const absent = await findAbsent(ctx.tx, able, at);
  return able.filter((userId) => !absent.has(userId));
}

/** Finds whom a rule names and who may work on such tickets, whether they are there or not. */
export async function findAble(
  ctx: Pick<ReadContext, "tx" | "services">,
  { write }: Pick<TicketKind, "write">,
  rule: RuleFields,
  { teamId, at }: { readonly teamId: string | null; readonly at: Date },
): Promise<readonly string[]> {
  const named = await findNamed(ctx, rule, teamId, at);
  if (named.length === 0) return [];
  const able = await findMembersWithPermission(ctx, write, named);
  return named.filter((userId) => able.has(userId));
}

async function findNamed(
  { tx }: Pick<ReadContext, "tx">,
  { method, userIds, scheduleId }: RuleFields,
  teamId: string | null,
  at: Date,
): Promise<readonly string[]> {
  if (method === "team") return [];
  if (method === "on_call") {
    const userId = scheduleId === null ? null : await findOnCall(tx, scheduleId, at);
    return userId === null ? [] : [userId];
  }
  if (userIds.length > 0 || teamId === null) return userIds;
  return (await findTeamMemberIds(tx, teamId)).toSorted();
}

/** True of methods in which it matters who got the last one. */
export function takesTurns({ method }: Pick<RuleFields, "method">): boolean {
  return method === "round_robin" || method === "least_load";
}

/** Picks one of the candidates: who has least, and of those who comes after whoever had the last turn. */
export function pickCandidate(
  { method }: Pick<RuleFields, "method">,
  candidates: readonly string[],
  last: string,
  loads: ReadonlyMap<string, number>,
): string | null {
  if (!takesTurns({ method })) return candidates[0] ?? null;
  const place = candidates.indexOf(last);
  // Somebody who left had a place between those who are there: their ids are in order.
  const after = place === -1 ? candidates.findIndex((userId) => userId > last) : place + 1;
  const start = after === -1 ? 0 : after;
  const turns = [...candidates.slice(start), ...candidates.slice(0, start)];
  if (method === "round_robin") return turns[0] ?? null;
  const loadOf = (userId: string) => loads.get(userId) ?? 0;
  return turns.toSorted((left, right) => loadOf(left) - loadOf(right))[0] ?? null;
}
