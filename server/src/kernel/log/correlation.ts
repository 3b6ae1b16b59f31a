import type { Clock } from "../clock.ts";
import { newId, timeOfId } from "../schema/id.ts";

/**
 * The id of a new causal chain. It holds the time by the clock that its events are dated by, which may be far from
 * that of this process: `callSpan` finds them by it.
 */
export function newCorrelationId(clock: Pick<Clock, "nowMs">): string {
  return newId("cor", clock.nowMs());
}

/** An event without a cause is of the call that its correlation began with; a call takes no longer. */
const CALL_MS_MAX = 180_000;
/** The clock is set to that of the database again and again, and may go back by less than this meanwhile. */
const SKEW_MS = 5_000;

/** The time in which the call that a correlation began with wrote its events. */
export function callSpan(correlationId: string): { readonly from: string; readonly to: string } {
  const begin = timeOfId(correlationId);
  return {
    from: new Date(begin - SKEW_MS).toISOString(),
    to: new Date(begin + CALL_MS_MAX).toISOString(),
  };
}
