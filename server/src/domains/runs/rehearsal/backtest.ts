import Type, { type Static } from "typebox";
import { mayHear } from "#domains/bus/index.ts";
import type { PlannedVersion } from "#domains/workflows/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import {
  CAUSATION_DEPTH_MAX,
  EventEnvelope,
  type LogPosition,
  type RecordedEvent,
  toEventEnvelope,
} from "#kernel/log/event.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import { applyFilter, eventFiltersFor, visibilityContext } from "#kernel/log/event-visibility.ts";
import { attachFor } from "#kernel/condition/subject-root.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { compileTriggerMatch, findTrigger } from "../triggers/event-reader.ts";
import { eventTopics } from "../triggers/event-matcher.ts";

const SCANNED_MAX = 10_000;
const BATCH_EVENTS = 200;
const SHOWN_DEFAULT = 50;

export const Backtest = Type.Object(
  {
    events: Type.Array(EventEnvelope, { description: "Newest first" }),
    matched: Type.Integer({ description: "Number of matching events" }),
    scanned: Type.Integer({ description: "Number of examined events" }),
    truncated: Type.Boolean({
      description: `True if older events were not examined: at most ${SCANNED_MAX}`,
    }),
  },
  { title: "Backtest" },
);

interface BacktestSpan {
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

/** Finds the past events of this environment that would have started a workflow. */
export async function backtest(
  ctx: ReadContext,
  version: Pick<PlannedVersion, "workflowId" | "definition">,
  { from, to, limit = SHOWN_DEFAULT }: BacktestSpan,
): Promise<Static<typeof Backtest>> {
  const matches = compileTrigger(ctx, version);
  const found: RecordedEvent[] = [];
  let [scanned, matched] = [0, 0];
  let before: LogPosition | undefined;
  while (scanned < SCANNED_MAX) {
    const recordedBatch = await queryEvents(ctx.tx, { from, to, before }, BATCH_EVENTS);
    const batch = await attachFor(ctx, [findTrigger(version)?.filter], recordedBatch);
    const filters = await eventFiltersFor(visibilityContext(ctx), batch);
    for (const recorded of batch) {
      const event = applyFilter(filters, recorded, ctx.caller.principal);
      if (!event || !matches(event)) continue;
      matched += 1;
      if (found.length < limit) found.push(event);
    }
    scanned += batch.length;
    before = batch.at(-1)?.position;
    if (batch.length < BATCH_EVENTS) {
      return { events: found.map(toEventEnvelope), matched, scanned, truncated: false };
    }
  }
  return { events: found.map(toEventEnvelope), matched, scanned, truncated: true };
}

function compileTrigger(
  { services, caller }: ReadContext,
  version: Pick<PlannedVersion, "workflowId" | "definition">,
): (event: RecordedEvent) => boolean {
  const { trigger } = version.definition;
  if (trigger.type !== "event_bus") {
    throw invalidField("/definition/trigger", "is not an event trigger");
  }
  const matches = compileTriggerMatch(version);
  return (event) =>
    event.depth < CAUSATION_DEPTH_MAX &&
    mayHear(caller, event.topic) &&
    eventTopics(services, event).includes(trigger.topic) &&
    matches(event);
}
