import { AuditRead } from "#domains/audit/index.ts";
import { AUDIT } from "#domains/bus/index.ts";
import { findMembersWithPermission, readPrincipals } from "#domains/identity/accounts/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { eventFiltersFor, visibilityContext, applyFilter } from "#kernel/log/event-visibility.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";

/**
 * Resolves which events these people may see: the audit log needs a permission, and the content of
 * some events is filtered by person. A workflow must not be the way around either.
 */
export async function resolveVisibility(
  ctx: ReadContext,
  events: readonly RecordedEvent[],
  userIds: readonly string[],
): Promise<EventVisibility> {
  const uniqueUserIds = [...new Set(userIds)];
  const auditors = events.some(({ topic }) => topic === AUDIT)
    ? await findMembersWithPermission(ctx, AuditRead, uniqueUserIds)
    : new Set<string>();
  const filters = await eventFiltersFor(visibilityContext(ctx), events);
  const principalOf = await readPrincipals(ctx, filters.size > 0 ? uniqueUserIds : []);
  return (event, userId, permissions) => {
    if (event.topic !== AUDIT) return applyFilter(filters, event, principalOf(userId));
    const isConfined = permissions !== undefined && !permissions.includes(AuditRead.name);
    return auditors.has(userId) && !isConfined ? event : undefined;
  };
}

/** An event as a person, or their token with these permissions, may see it; undefined if not at all. */
type EventVisibility = (
  event: RecordedEvent,
  userId: string,
  permissions: readonly string[] | undefined,
) => RecordedEvent | undefined;
