import { type MemberRow, findMembersWithRoles } from "#domains/identity/accounts/index.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import {
  NotificationRulePoint,
  type NotificationRule,
} from "#kernel/contributions/notification-rule.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { NotificationSent } from "./events.ts";
import { RECIPIENTS_MAX } from "./notification.ts";
import { deliver } from "./notify.ts";

/** Sends the notifications of the domains' notification rules. */
export const notificationReader = reader({
  name: "notifications.tell",
  on: ({ contributions }) =>
    contributionsTo(NotificationRulePoint, contributions).map(({ on }) => on.type),
  startsAt: "end",
  emits: [NotificationSent],
  async handle(ctx, events) {
    const rules = contributionsTo(NotificationRulePoint, ctx.services.contributions);
    // All events are of one workspace, so each rule's recipients are looked up once.
    const cache = new Map<NotificationRule, readonly MemberRow[]>();
    const findRecipients = async (rule: NotificationRule): Promise<readonly MemberRow[]> => {
      const members =
        cache.get(rule) ?? (await findMembersWithRoles(ctx.tx, rule.roles, RECIPIENTS_MAX));
      cache.set(rule, members);
      return members;
    };
    for (const event of events) {
      // A rule about notifications would otherwise never come to an end.
      if (event.depth >= CAUSATION_DEPTH_MAX) continue;
      const { id: eventId, type: eventType, resource } = event;
      const about = { eventId, eventType, resource: { type: resource.type, id: resource.id } };
      const applies = ({ on, when }: NotificationRule): boolean =>
        on.type === eventType && (when === undefined || when(event));
      for (const rule of rules.filter(applies)) {
        const message = { title: rule.title(event), body: rule.body(event), about };
        await deliver(ctx.because(event), await findRecipients(rule), message);
      }
    }
  },
});
