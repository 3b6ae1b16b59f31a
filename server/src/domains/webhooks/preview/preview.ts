import Type, { type Static } from "typebox";
import { EventEnvelope, type RecordedEvent, toEventEnvelope } from "#kernel/log/event.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { assertNoErrors } from "#kernel/operation/failure.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { mayReadAudit } from "../audit-access.ts";
import { readPastEvents, SCANNED_MAX } from "./past-events.ts";
import { compileSubscription } from "../sending/subscription.ts";
import { subscriptionErrors } from "../webhook-input.ts";
import { subscription } from "../webhook.ts";

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
  const { caller } = ctx;
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
  for await (const event of readPastEvents(ctx, { from, to })) {
    if (events.length === limit) return toPreview({ events, scanned, truncated: true });
    scanned += 1;
    if (event && matches(event)) events.push(event);
  }
  return toPreview({ events, scanned, truncated: scanned === SCANNED_MAX });
}

function toPreview(result: {
  readonly events: readonly RecordedEvent[];
  readonly scanned: number;
  readonly truncated: boolean;
}) {
  return { ...result, events: result.events.map(toEventEnvelope) };
}
