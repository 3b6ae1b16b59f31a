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
import { InputTime, object } from "#kernel/schema/schema.ts";
import { mayReadAudit } from "./audit-access.ts";
import { compileSubscription } from "./sending/subscription.ts";
import { assertNoFaults, faultsOfSubscription } from "./webhook-input.ts";
import { subscription } from "./webhook.ts";

const SCANNED_MAX = 10_000;
const BATCH_EVENTS_MAX = 200;

export const Span = object({
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

/** Which past events of this environment such a webhook would have been sent. */
export async function preview(
  ctx: ReadContext,
  span: Static<typeof Span>,
): Promise<Static<typeof Preview>> {
  const { tx, caller } = ctx;
  assertNoFaults(faultsOfSubscription(span));
  const { events: patterns, filter = null, environments = null, from, to, limit = 50 } = span;
  const wants = compileSubscription({
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
    const lenses = await eventFiltersFor(visibilityContext(ctx), batch);
    for (const told of batch) {
      if (events.length === limit) return shown({ events, scanned, truncated: true });
      scanned += 1;
      const event = applyFilter(lenses, told, caller.principal);
      if (event && wants(event)) events.push(event);
    }
    before = batch.at(-1)?.position;
    if (batch.length < BATCH_EVENTS_MAX) return shown({ events, scanned, truncated: false });
  }
  return shown({ events, scanned, truncated: true });
}

function shown(found: {
  readonly events: readonly RecordedEvent[];
  readonly scanned: number;
  readonly truncated: boolean;
}) {
  return { ...found, events: found.events.map(toEventEnvelope) };
}
