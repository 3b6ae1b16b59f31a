import type { BuiltInRole } from "../access/permission.ts";
import { extensionPoint } from "../extension-point.ts";
import type { EventType, RecordedEvent } from "../log/event.ts";

/** Events of which the holders of some roles are notified, and in which words. */
export interface NotificationRule {
  readonly on: EventType;
  /** Of those events only these; all of them when absent. */
  readonly when?: (event: RecordedEvent) => boolean;
  /** The members who hold one of these roles. */
  readonly roles: readonly BuiltInRole[];
  readonly title: (event: RecordedEvent) => string;
  readonly body: (event: RecordedEvent) => string;
}

export const NotificationRulePoint = extensionPoint<NotificationRule>("kernel.notification_rules");
