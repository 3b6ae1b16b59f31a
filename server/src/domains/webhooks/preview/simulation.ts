/** Simulates a changed subscription on past events: what the webhook would send, compared to now. */
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { EventEnvelope, toEventEnvelope } from "#kernel/log/event.ts";
import { assertNoErrors, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { InputTime, object, patch } from "#kernel/schema/schema.ts";
import { mayReadAudit, receivesAuditEvents } from "../audit-access.ts";
import { readPastEvents, SCANNED_MAX } from "./past-events.ts";
import { compileSubscription } from "../sending/subscription.ts";
import * as store from "../store.ts";
import { subscriptionErrors } from "../webhook-input.ts";
import { subscription, WebhookId, WebhooksRead } from "../webhook.ts";

const CHANGED_MAX = 100;

const SimulationInput = object({
  webhook: patch(subscription),
  from: Type.Optional(InputTime),
  to: Type.Optional(InputTime),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: SCANNED_MAX,
      description: `Maximum number of events, starting with the newest. Default: ${SCANNED_MAX}`,
    }),
  ),
});

const Difference = Type.Object(
  {
    event: EventEnvelope,
    before: Type.Boolean({ description: "Whether the current webhook sends it" }),
    after: Type.Boolean({ description: "Whether the changed webhook would send it" }),
  },
  { title: "WebhookDifference" },
);

const Simulation = Type.Object(
  {
    scanned: Type.Integer({ description: "Number of examined events" }),
    truncated: Type.Boolean({ description: "True if there may be older events in the period" }),
    before: Type.Integer({ description: "Number of events that the current webhook sends" }),
    after: Type.Integer({ description: "Number of events that the changed webhook would send" }),
    sameCount: Type.Integer({ description: "Number of events without a difference" }),
    changed: Type.Array(Difference, {
      description: `Up to ${CHANGED_MAX} events that only the current or only the changed webhook sends, newest first`,
    }),
    changedCount: Type.Integer(),
  },
  { title: "WebhookSimulation" },
);
type Simulation = Static<typeof Simulation>;

export const simulateWebhook = query({
  id: "webhooks.simulate",
  route: "POST /api/v1/webhooks/{id}/simulate",
  summary: "Simulate a changed webhook on past events",
  description:
    "`webhook` contains changes of `events`, `filter` and `environments`. Covers events of the environment of the request that you can view; nothing is sent. `from` is inclusive, `to` is exclusive.",
  environmentScoped: true,
  permission: WebhooksRead,
  params: object({ id: WebhookId }),
  body: SimulationInput,
  response: item(Simulation),
  example: {
    params: { id: "whk_01jd0000000000000000000000" },
    body: { webhook: { filter: { "data.severity": "critical" } }, limit: 5_000 },
  },
  run: (ctx, { params, body }) => simulate(ctx, params.id, body),
});

async function simulate(
  ctx: ReadContext,
  id: string,
  { webhook: change, from, to, limit = SCANNED_MAX }: Static<typeof SimulationInput>,
): Promise<Simulation> {
  const { tx, caller } = ctx;
  const errors = subscriptionErrors(change);
  assertNoErrors(errors.map((error) => ({ ...error, path: `/webhook${error.path}` })));
  if (from !== undefined && to !== undefined && new Date(from) > new Date(to)) {
    throw invalidField("/to", "must not be before from");
  }
  const present = await store.get(tx, id);
  const draft = {
    ...present,
    ...change,
    // As a save would decide; without the permission, the caller sees none of those events in either case.
    hearsAudit: change.events ? receivesAuditEvents(caller, change.events) : present.hearsAudit,
  };
  const [sendsBefore, sendsAfter] = [present, draft].map((one) =>
    compileSubscription({ ...one, hearsAudit: one.hearsAudit && mayReadAudit(caller) }),
  );
  const found: Simulation = {
    scanned: 0,
    truncated: false,
    before: 0,
    after: 0,
    sameCount: 0,
    changed: [],
    changedCount: 0,
  };
  for await (const event of readPastEvents(ctx, { from, to }, [present.filter, draft.filter])) {
    if (found.scanned === limit) return { ...found, truncated: true };
    found.scanned += 1;
    const before = event !== undefined && sendsBefore?.(event) === true;
    const after = event !== undefined && sendsAfter?.(event) === true;
    found.before += Number(before);
    found.after += Number(after);
    if (before === after) found.sameCount += 1;
    else {
      found.changedCount += 1;
      if (event && found.changed.length < CHANGED_MAX) {
        found.changed.push({ event: toEventEnvelope(event), before, after });
      }
    }
  }
  return { ...found, truncated: found.scanned === SCANNED_MAX };
}
