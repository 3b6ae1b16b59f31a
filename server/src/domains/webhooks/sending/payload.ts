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
 * The body of a delivery. It is made anew for each attempt and must come out the same: everything in
 * it follows from the event and the ids, nothing from the time.
 */
export function buildPayload(
  delivery: { readonly id: string; readonly webhookId: string; readonly format: PayloadFormat },
  event: RecordedEvent,
): DeliveryBody {
  return delivery.format === "cloudevents"
    ? cloudEventOf(delivery, event)
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

/** CloudEvents 1.0, structured mode. The id is the event's: a replay tells of the same event. */
function cloudEventOf(
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
