import type { BuiltInRole } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";
import type { EventType, RecordedEvent } from "../log/event.ts";

/** People by their ids and by the ids of their roles, but for some of them. */
export interface NotificationAudience {
  readonly userIds: readonly string[];
  readonly roles: readonly string[];
  readonly except: readonly string[];
}

/** Events of which some people are notified, and in which words. */
export interface NotificationRule {
  readonly on: EventType;
  /** Of those events only these; all of them when absent. */
  readonly when?: (event: RecordedEvent) => boolean;
  /** The members who hold one of these roles, or whom the workspace names for such an event. */
  readonly to:
    | readonly BuiltInRole[]
    | ((ctx: Pick<ReadContext, "tx">, event: RecordedEvent) => Promise<NotificationAudience>);
  readonly title: (event: RecordedEvent) => string;
  readonly body: (event: RecordedEvent) => string;
  /** The page of the console where something is to be done. */
  readonly path?: `/${string}`;
}

export const NotificationRulePoint = extensionPoint<NotificationRule>("kernel.notification_rules");
