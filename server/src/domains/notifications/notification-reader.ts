import {
  type MemberRow,
  findMembersByIds,
  findMembersWithRoles,
} from "#domains/identity/accounts/index.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import {
  type NotificationAudience,
  NotificationRulePoint,
  type NotificationRule,
} from "#kernel/contributions/notification-rule.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
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
    // All events belong to one workspace, so the members with fixed roles are looked up once.
    const cache = new Map<NotificationRule, readonly MemberRow[]>();
    const findRecipients = async (
      rule: NotificationRule,
      event: RecordedEvent,
    ): Promise<readonly MemberRow[]> => {
      const { to } = rule;
      if (typeof to === "function") return findAudience(ctx.tx, await to(ctx, event));
      const members = cache.get(rule) ?? (await findMembersWithRoles(ctx.tx, to, RECIPIENTS_MAX));
      cache.set(rule, members);
      return members;
    };
    for (const event of events) {
      // A rule about notifications would otherwise never terminate.
      if (event.depth >= CAUSATION_DEPTH_MAX) continue;
      const { id: eventId, type: eventType, resource } = event;
      const about = { eventId, eventType, resource: { type: resource.type, id: resource.id } };
      const applies = ({ on, when }: NotificationRule): boolean =>
        on.type === eventType && (when === undefined || when(event));
      for (const rule of rules.filter(applies)) {
        const { path } = rule;
        const mail = path === undefined ? undefined : { path };
        const message = { title: rule.title(event), body: rule.body(event), about, mail };
        await deliver(ctx.because(event), await findRecipients(rule, event), message);
      }
    }
  },
});

/** The recipients without duplicates, up to the limit of one rule. */
async function findAudience(
  tx: Tx,
  { userIds, roles, except }: NotificationAudience,
): Promise<readonly MemberRow[]> {
  const named = [
    ...(await findMembersByIds(tx, userIds)),
    ...(await findMembersWithRoles(tx, roles, RECIPIENTS_MAX)),
  ];
  const members = new Map(named.map((member) => [member.id, member]));
  for (const id of except) members.delete(id);
  return [...members.values()].slice(0, RECIPIENTS_MAX);
}
