import type { WriteContext } from "#kernel/contract.ts";
import { SlaCancelled } from "./breach-events.ts";
import type { StoredClock } from "./clocks/store.ts";

const MINUTE_MS = 60_000;

/** True of a clock that was open until its policy ceased to apply to the ticket. */
export function hasLeft(before: StoredClock | undefined, after: StoredClock): boolean {
  const isCancelled = after.state === "cancelled" && !after.clock.matched;
  return isCancelled && before !== undefined && before.state !== "cancelled";
}

/** Emits that the policy of a clock no longer applies. */
export function emitCancelled(
  { emit }: WriteContext<typeof SlaCancelled>,
  { kind, ticketId: id, ticket, policyId, policyName, metric, targetMs }: StoredClock,
): void {
  const { number, title } = ticket;
  const ref = {
    id,
    ...(number !== null && { number }),
    ...(title !== null && { displayName: title }),
  };
  const targetMinutes = targetMs / MINUTE_MS;
  const of = { kind, id, ...ticket };
  emit(SlaCancelled, ref, { policyId, policyName, metric, targetMinutes, dueAt: null, ticket: of });
}
