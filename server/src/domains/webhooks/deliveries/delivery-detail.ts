import { isDeepStrictEqual } from "node:util";
import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { visibilityContext, filterEvent } from "#kernel/log/event-visibility.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { findSecretReferences } from "#kernel/secrets/secret-reference.ts";
import { maySee } from "../audit-access.ts";
import { buildDeliveryHeaders, addStandardHeaders } from "../sending/attempt.ts";
import { type DeliveryBody, buildPayload } from "../sending/payload.ts";
import { readVisibility } from "../sending/visibility.ts";
import { MASK } from "../header.ts";
import { signingSecrets } from "../secret.ts";
import * as webhooks from "../store.ts";
import type { Webhook } from "../webhook.ts";
import type { Attempt, DeliveryDetail } from "./delivery.ts";
import * as store from "./store.ts";

type Context = ReadContext & { readonly workspace: WorkspaceRef };

/** Reads a delivery with its request and every response. */
export async function readDeliveryDetail(
  ctx: Context,
  webhookId: string,
  id: string,
): Promise<DeliveryDetail> {
  const webhook = await webhooks.get(ctx.tx, webhookId);
  const delivery = await store.get(ctx.tx, webhookId, id);
  const recorded = await findEvent(ctx.tx, delivery.position);
  const { event, canShow } = await readSentEvent(ctx, webhookId, recorded);
  const body = event && buildPayload(delivery, event);
  const earlier = await store.listEarlierAttempts(ctx.tx, webhookId, id);
  return {
    ...delivery,
    request: {
      method: "POST",
      url: delivery.url,
      headers: addStandardHeaders(
        maskReferences(webhook),
        event && body ? await standardHeaders(ctx, delivery, { event, body }) : {},
      ),
      body: body && canShow ? body.text : null,
    },
    response: {
      status: delivery.lastResponseStatus,
      body: delivery.lastResponseBody,
      durationMs: delivery.lastDurationMs,
      error: delivery.lastError,
    },
    attemptLog: [...earlier, ...lastAttempt(delivery)],
  };
}

/**
 * Reads the event as it is sent: as the last editor of the webhook sees it. `canShow` is true if the caller sees
 * the entire event, or the same part of it.
 */
async function readSentEvent(
  ctx: Context,
  webhookId: string,
  recorded: RecordedEvent | undefined,
): Promise<{ readonly event: RecordedEvent | undefined; readonly canShow: boolean }> {
  if (!recorded) return { event: undefined, canShow: false };
  const context = visibilityContext(ctx);
  const toVisible = await readVisibility(ctx.tx, context, [recorded], () => [webhookId]);
  const event = toVisible(recorded, webhookId);
  const visibleToCaller = await filterEvent(context, ctx.caller.principal, recorded);
  const seesSame =
    visibleToCaller !== undefined &&
    (visibleToCaller === recorded || isDeepStrictEqual(visibleToCaller, event));
  return { event, canShow: seesSame && maySee(ctx.caller, recorded) };
}

/** Masks the values that come from secrets; the webhook's own values are already masked. */
function maskReferences({ headers }: Webhook): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      findSecretReferences(value).length > 0 ? MASK : value,
    ]),
  );
}

/** The standard headers of the last attempt or, before the first attempt, of one made now. */
async function standardHeaders(
  { tx, now, services, workspace }: Context,
  delivery: store.StoredDelivery,
  { event, body }: { readonly event: RecordedEvent; readonly body: DeliveryBody },
): Promise<Readonly<Record<string, string>>> {
  const { id, webhookId, lastAttemptAt } = delivery;
  const stored = await webhooks.getSecretColumns(tx, webhookId);
  const { secrets, untilMs } = await signingSecrets(services, workspace.key, webhookId, stored);
  return buildDeliveryHeaders(
    { secrets, secretsUntilMs: untilMs },
    { id, event },
    { body, at: lastAttemptAt === null ? now : new Date(lastAttemptAt) },
  );
}

function lastAttempt(delivery: store.StoredDelivery): Attempt[] {
  if (delivery.lastAttemptAt === null) return [];
  return [
    {
      number: delivery.attempts,
      at: delivery.lastAttemptAt,
      status: delivery.lastResponseStatus,
      durationMs: delivery.lastDurationMs,
      error: delivery.lastError,
      body: delivery.lastResponseBody,
    },
  ];
}
