import type { EventType } from "#kernel/log/event.ts";
import type { Operation } from "#kernel/operation/operation.ts";
import type { TicketKind } from "../../tickets/kind.ts";
import { attachmentsOf } from "../../tickets/collaboration/attachments.ts";
import { commentsOf } from "../../tickets/collaboration/comments.ts";
import { linksOf } from "../../tickets/collaboration/links.ts";
import { timelineOf } from "../../tickets/collaboration/timeline.ts";
import { watchersOf } from "../../tickets/collaboration/watchers.ts";

/** What people do around a ticket of any kind; a domain of tickets adds it to its own. */
export function conversation(kind: TicketKind): {
  readonly events: readonly EventType[];
  readonly operations: readonly Operation[];
} {
  const parts = [commentsOf, watchersOf, attachmentsOf, linksOf, timelineOf].map((of) => of(kind));
  return {
    events: parts.flatMap(({ events }): readonly EventType[] => events),
    operations: parts.flatMap(({ operations }): readonly Operation[] => operations),
  };
}
