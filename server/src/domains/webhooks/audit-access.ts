import { AuditRead } from "#domains/audit/index.ts";
import { AUDIT } from "#domains/bus/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";

/** The audit log has its own permission; a webhook must not bypass it. */
export function mayReadAudit({ permissions }: Caller): boolean {
  return permissions.has(AuditRead.name);
}

/** Decides whether a webhook that this caller saves receives audit events; throws if a pattern names them. */
export function receivesAuditEvents(caller: Caller, patterns: readonly string[]): boolean {
  if (mayReadAudit(caller)) return true;
  const auditPattern = patterns.find((pattern) => pattern.split(".")[0] === AUDIT);
  if (auditPattern === undefined) return false;
  throw new Failure(Forbidden, {
    detail: `Sending ${auditPattern} to a webhook requires the permission ${AuditRead.name}.`,
  });
}

/** Returns whether a webhook may receive an event, including one that it received before. */
export function canReceive(
  { hearsAudit }: { readonly hearsAudit: boolean },
  { topic }: Pick<RecordedEvent, "topic">,
): boolean {
  return hearsAudit || topic !== AUDIT;
}

/** The failure if the last editor of a webhook may not see an event. */
export function hiddenEventFailure(): Failure {
  return new Failure(Forbidden, {
    detail:
      "The member who saved this webhook can't view this event. Save the webhook to use your own permissions.",
  });
}

/** Throws if the caller may not send an event to this webhook. */
export function assertCanSend(
  caller: Caller,
  webhook: { readonly hearsAudit: boolean },
  event: Pick<RecordedEvent, "topic">,
): void {
  if (canReceive(webhook, event) || mayReadAudit(caller)) return;
  throw new Failure(Forbidden, {
    detail: `Sending this event to this webhook requires the permission ${AuditRead.name}.`,
  });
}

/** True when a caller may see the data of an event. */
export function maySee(caller: Caller, { topic }: Pick<RecordedEvent, "topic">): boolean {
  return topic !== AUDIT || mayReadAudit(caller);
}
