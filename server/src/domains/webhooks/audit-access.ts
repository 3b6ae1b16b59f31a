import { AuditRead } from "#domains/audit/index.ts";
import { AUDIT } from "#domains/bus/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";

/** The audit log has a permission of its own; a webhook must not be the way around it. */
export function mayReadAudit({ permissions }: Caller): boolean {
  return permissions.has(AuditRead.name);
}

/** Whether a webhook hears the audit log once this caller has said what it hears, or where that goes. */
export function receivesAuditEvents(caller: Caller, patterns: readonly string[]): boolean {
  if (mayReadAudit(caller)) return true;
  const named = patterns.find((pattern) => pattern.split(".")[0] === AUDIT);
  if (named === undefined) return false;
  throw new Failure(Forbidden, {
    detail: `To send ${named} to a webhook needs the permission ${AuditRead.name}.`,
  });
}

/** Whether a webhook may be sent an event, also one that it was sent before. */
export function canReceive(
  { hearsAudit }: { readonly hearsAudit: boolean },
  { topic }: Pick<RecordedEvent, "topic">,
): boolean {
  return hearsAudit || topic !== AUDIT;
}

/** Why an event is not sent to a webhook although somebody asks for it. */
export function hiddenSources(): Failure {
  return new Failure(Forbidden, {
    detail:
      "Whoever saved this webhook may not see this event. Save it, and it is sent as you see it.",
  });
}

/** Throws when the caller asks for an event to be sent where they could not have had it sent. */
export function assertCanSend(
  caller: Caller,
  webhook: { readonly hearsAudit: boolean },
  event: Pick<RecordedEvent, "topic">,
): void {
  if (canReceive(webhook, event) || mayReadAudit(caller)) return;
  throw new Failure(Forbidden, {
    detail: `To send this event to this webhook needs the permission ${AuditRead.name}.`,
  });
}

/** Whether a caller may see what is in an event. */
export function maySee(caller: Caller, { topic }: Pick<RecordedEvent, "topic">): boolean {
  return topic !== AUDIT || mayReadAudit(caller);
}
