import { type RecordedEvent } from "#kernel/log/event.ts";
import { payloadOf } from "#kernel/log/event-subject.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";

export type PayloadFormat = "millrace" | "cloudevents";

export interface DeliveryBody {
  readonly contentType: string;
  /** The exact text that is signed and sent. */
  readonly text: string;
}

/**
 * Builds the body of a delivery. Each attempt builds it again and must get the same text, so it derives only from
 * the event and the ids, not from the time.
 */
export function buildPayload(
  delivery: { readonly id: string; readonly webhookId: string; readonly format: PayloadFormat },
  event: RecordedEvent,
): DeliveryBody {
  return delivery.format === "cloudevents"
    ? buildCloudEvent(delivery, event)
    : {
        contentType: "application/json",
        text: JSON.stringify({
          id: delivery.id,
          webhook_id: delivery.webhookId,
          event: event.type,
          timestamp: event.createdAt,
          workspace_id: workspaceIdOf(event.workspace),
          data: payloadOf(event),
        }),
      };
}

/** CloudEvents 1.0, structured mode. The id is that of the event, also in a replay. */
function buildCloudEvent(
  delivery: { readonly id: string; readonly webhookId: string },
  event: RecordedEvent,
): DeliveryBody {
  const { resource } = event;
  return {
    contentType: "application/cloudevents+json",
    text: JSON.stringify({
      specversion: "1.0",
      id: event.id,
      source: `/workspaces/${workspaceIdOf(event.workspace)}/${event.environment}`,
      type: event.type,
      subject: `${resource.type}/${resource.id}`,
      time: event.createdAt,
      datacontenttype: "application/json",
      // Names of extensions are lower-case letters and digits.
      deliveryid: delivery.id,
      webhookid: delivery.webhookId,
      correlationid: event.correlationId,
      data: payloadOf(event),
    }),
  };
}
