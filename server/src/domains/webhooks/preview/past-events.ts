import type { Condition } from "#kernel/condition/condition.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { LogPosition, RecordedEvent } from "#kernel/log/event.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { attachWhole, rootsIn } from "#kernel/condition/subject-root.ts";
import { applyFilter, eventFiltersFor, visibilityContext } from "#kernel/log/event-visibility.ts";

/** The maximum number of events that one preview scans. */
export const SCANNED_MAX = 10_000;
const BATCH_EVENTS_MAX = 200;

/** A span of the log: `from` is included, `to` is not. */
export interface PastSpan {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Yields the past events of this environment, newest first, as the caller sees them: undefined for a hidden one. If
 * a condition requires it, events contain their entire resource.
 */
export async function* readPastEvents(
  ctx: ReadContext,
  { from, to }: PastSpan,
  conditions: readonly (Condition | null)[],
): AsyncGenerator<RecordedEvent | undefined> {
  const roots = [...new Set(conditions.flatMap((one) => rootsIn(one, ctx.services)))];
  let scanned = 0;
  let before: LogPosition | undefined;
  while (scanned < SCANNED_MAX) {
    const recorded = await queryEvents(ctx.tx, { from, to, before }, BATCH_EVENTS_MAX);
    const batch = await attachWhole(ctx.tx, roots, recorded);
    const filters = await eventFiltersFor(visibilityContext(ctx), batch);
    for (const recorded of batch) yield applyFilter(filters, recorded, ctx.caller.principal);
    scanned += batch.length;
    before = batch.at(-1)?.position;
    if (batch.length < BATCH_EVENTS_MAX) return;
  }
}
