import Type, { type Static } from "typebox";
import {
  EventEnvelope,
  type LogPosition,
  type RecordedEvent,
  toEventEnvelope,
} from "#kernel/log/event.ts";
import { eventFiltersFor, visibilityContext, applyFilter } from "#kernel/log/event-visibility.ts";
import { queryEvents } from "#kernel/log/event-log.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { assertNoErrors } from "#kernel/operation/failure.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { mayReadAudit } from "./audit-access.ts";
import { compileSubscription } from "./sending/subscription.ts";
import { subscriptionErrors } from "./webhook-input.ts";
import { subscription } from "./webhook.ts";

const SCANNED_MAX = 10_000;
const BATCH_EVENTS_MAX = 200;

export const PreviewQuery = object({
  events: subscription.events,
  ...Type.Partial(
    Type.Object({ filter: subscription.filter, environments: subscription.environments }),
  ).properties,
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: "How many to show; 50 by default" }),
  ),
});

export const Preview = Type.Object(
  {
    events: Type.Array(EventEnvelope, { description: "Newest first" }),
    scanned: Type.Integer({ description: "How many events were looked at" }),
    truncated: Type.Boolean({
      description: `True when there may be more: \`limit\` was reached, or ${SCANNED_MAX} were scanned`,
    }),
  },
  { title: "Preview" },
);

/** Finds the past events of this environment that such a webhook would have received. */
export async function preview(
  ctx: ReadContext,
  input: Static<typeof PreviewQuery>,
): Promise<Static<typeof Preview>> {
  const { tx, caller } = ctx;
  assertNoErrors(subscriptionErrors(input));
  const { events: patterns, filter = null, environments = null, from, to, limit = 50 } = input;
  const matches = compileSubscription({
    id: "",
    events: patterns,
    environments,
    filter,
    hearsAudit: mayReadAudit(caller),
  });
  const events: RecordedEvent[] = [];
  let scanned = 0;
  let before: LogPosition | undefined;
  while (scanned < SCANNED_MAX) {
    const batch = await queryEvents(tx, { from, to, before }, BATCH_EVENTS_MAX);
    const filters = await eventFiltersFor(visibilityContext(ctx), batch);
    for (const recorded of batch) {
      if (events.length === limit) return toPreview({ events, scanned, truncated: true });
      scanned += 1;
      const event = applyFilter(filters, recorded, caller.principal);
      if (event && matches(event)) events.push(event);
    }
    before = batch.at(-1)?.position;
    if (batch.length < BATCH_EVENTS_MAX) return toPreview({ events, scanned, truncated: false });
  }
  return toPreview({ events, scanned, truncated: true });
}

function toPreview(result: {
  readonly events: readonly RecordedEvent[];
  readonly scanned: number;
  readonly truncated: boolean;
}) {
  return { ...result, events: result.events.map(toEventEnvelope) };
}
