/** The search parameters of the webhook screens. */
import { WEBHOOK_DELIVERY_STATUS } from "@millrace/client/enums";

export const DELIVERY_STATES = WEBHOOK_DELIVERY_STATUS;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const WEBHOOK_TABS = ["deliveries", "recovery", "settings"] as const;
export type WebhookTab = (typeof WEBHOOK_TABS)[number];

export interface WebhookSearch {
  readonly tab?: WebhookTab | undefined;
  readonly status?: DeliveryState | undefined;
  /** The open delivery. */
  readonly open?: string | undefined;
}

export function readWebhookSearch(search: Readonly<Record<string, unknown>>): WebhookSearch {
  return {
    tab: WEBHOOK_TABS.find((tab) => tab === search["tab"]),
    status: DELIVERY_STATES.find((state) => state === search["status"]),
    open: typeof search["open"] === "string" ? search["open"] : undefined,
  };
}

/** The initial values of a new webhook: the address of a test endpoint, and events. */
export interface NewWebhookSearch {
  readonly url?: string | undefined;
  readonly events?: string | undefined;
}

export function readNewWebhookSearch(search: Readonly<Record<string, unknown>>): NewWebhookSearch {
  const { url, events } = search;
  return {
    url: typeof url === "string" ? url : undefined,
    events: typeof events === "string" ? events : undefined,
  };
}
