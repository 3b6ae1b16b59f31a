import type { BuiltInRole } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";
import type { EventType, RecordedEvent } from "../log/event.ts";

/** Recipients by user id and role id, minus exclusions. */
export interface NotificationAudience {
  readonly userIds: readonly string[];
  readonly roles: readonly string[];
  readonly except: readonly string[];
}

/** A rule for notifications: event types, recipients and texts. */
export interface NotificationRule {
  readonly on: EventType;
  /** Limits the rule to some of the events. If absent, it applies to all. */
  readonly when?: (event: RecordedEvent) => boolean;
  /** Members with one of these roles, or recipients that the workspace configures for the event. */
  readonly to:
    | readonly BuiltInRole[]
    | ((
        ctx: Pick<ReadContext, "tx" | "services" | "now">,
        event: RecordedEvent,
      ) => Promise<NotificationAudience>);
  readonly title: (event: RecordedEvent) => string;
  readonly body: (event: RecordedEvent) => string;
  /** The console page for the next action. */
  readonly path?: `/${string}`;
}

export const NotificationRulePoint = extensionPoint<NotificationRule>("kernel.notification_rules");
