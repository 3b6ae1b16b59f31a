import { isDeepStrictEqual } from "node:util";
import type { WorkspaceRef } from "#kernel/access/caller.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { visibilityContext, filterEvent } from "#kernel/log/event-visibility.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { findSecretReferences } from "#kernel/secrets/secret-reference.ts";
import { maySee } from "../audit-access.ts";
import { headersFor, addStandardHeaders } from "../sending/attempt.ts";
import { type DeliveryBody, buildPayload } from "../sending/payload.ts";
import { visibilityIn } from "../sending/visibility.ts";
import { MASK } from "../header.ts";
import { signingSecrets } from "../secret.ts";
import * as webhooks from "../store.ts";
import type { Webhook } from "../webhook.ts";
import type { Attempt, DeliveryDetail } from "./delivery.ts";
import * as store from "./store.ts";

type Context = ReadContext & { readonly workspace: WorkspaceRef };

/** A delivery with what was sent and every answer to it. */
export async function detailOf(
  ctx: Context,
  webhookId: string,
  id: string,
): Promise<DeliveryDetail> {
  const webhook = await webhooks.get(ctx.tx, webhookId);
  const delivery = await store.get(ctx.tx, webhookId, id);
  const told = await findEvent(ctx.tx, delivery.place);
  const { event, isShown } = await sentOf(ctx, webhookId, told);
  const body = event && buildPayload(delivery, event);
  const earlier = await store.earlierAttempts(ctx.tx, webhookId, id);
  return {
    ...delivery,
    request: {
      method: "POST",
      url: delivery.url,
      headers: addStandardHeaders(
        maskedHeaders(webhook),
        event && body ? await headersOfOurs(ctx, delivery, { event, body }) : {},
      ),
      body: body && isShown ? body.text : null,
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
 * An event as it is sent, which is as whoever saved the webhook sees it; and whether that is for the
 * caller to see, who must see the event whole, or the same of it.
 */
async function sentOf(
  ctx: Context,
  webhookId: string,
  told: RecordedEvent | undefined,
): Promise<{ readonly event: RecordedEvent | undefined; readonly isShown: boolean }> {
  if (!told) return { event: undefined, isShown: false };
  const place = visibilityContext(ctx);
  const hear = await visibilityIn(ctx.tx, place, [told], () => [webhookId]);
  const event = hear(told, webhookId);
  const own = await filterEvent(place, ctx.caller.principal, told);
  const isSame = own !== undefined && (own === told || isDeepStrictEqual(own, event));
  return { event, isShown: isSame && maySee(ctx.caller, told) };
}

/** What is hidden of the webhook is hidden here too, and so is what a reference was replaced by. */
function maskedHeaders({ headers }: Webhook): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      findSecretReferences(value).length > 0 ? MASK : value,
    ]),
  );
}

/** As of the last attempt or, when there was none yet, as they would be now. */
async function headersOfOurs(
  { tx, now, services, workspace }: Context,
  delivery: store.Stored,
  { event, body }: { readonly event: RecordedEvent; readonly body: DeliveryBody },
): Promise<Readonly<Record<string, string>>> {
  const { id, webhookId, lastAttemptAt } = delivery;
  const kept = await webhooks.unshown(tx, webhookId);
  const { secrets, untilMs } = await signingSecrets(services, workspace.key, webhookId, kept);
  return headersFor(
    { secrets, secretsUntilMs: untilMs },
    { id, event },
    { body, at: lastAttemptAt === null ? now : new Date(lastAttemptAt) },
  );
}

function lastAttempt(delivery: store.Stored): Attempt[] {
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
