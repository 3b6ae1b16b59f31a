/** Selects the members a rule can choose, in turn order. */
import { findMembersWithPermission } from "#domains/identity/accounts/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { findOnCall } from "../oncall/index.ts";
import { findTeamMemberIds, type TicketKind } from "../tickets/index.ts";
import { findAbsent } from "./absence.ts";
import type { RuleFields } from "./rule.ts";

/** The ticket fields used by rules. */
export interface RoutableTicket {
  readonly assigneeId: string | null;
  readonly teamId: string | null;
}

/** Finds the candidates of a rule at a moment, in turn order. */
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

/** Finds the members named by a rule who can work on such tickets, including absent ones. */
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

/** True for methods that depend on the last assignee. */
export function takesTurns({ method }: Pick<RuleFields, "method">): boolean {
  return method === "round_robin" || method === "least_load";
}

/** Picks the candidate with the least load. Among equals, the one after the last assignee. */
export function pickCandidate(
  { method }: Pick<RuleFields, "method">,
  candidates: readonly string[],
  last: string,
  loads: ReadonlyMap<string, number>,
): string | null {
  if (!takesTurns({ method })) return candidates[0] ?? null;
  const place = candidates.indexOf(last);
  // The last assignee can be absent or gone. Ids are sorted, so the next id takes the turn.
  const after = place === -1 ? candidates.findIndex((userId) => userId > last) : place + 1;
  const start = after === -1 ? 0 : after;
  const turns = [...candidates.slice(start), ...candidates.slice(0, start)];
  if (method === "round_robin") return turns[0] ?? null;
  const loadOf = (userId: string) => loads.get(userId) ?? 0;
  return turns.toSorted((left, right) => loadOf(left) - loadOf(right))[0] ?? null;
}
