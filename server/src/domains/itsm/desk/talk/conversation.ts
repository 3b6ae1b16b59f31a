import type { EventType } from "#kernel/event.ts";
import type { Operation } from "#kernel/operation.ts";
import type { TicketKind } from "../kind.ts";
import { attachmentsOf } from "./attachments.ts";
import { commentsOf } from "./comments.ts";
import { linksOf } from "./links.ts";
import { timelineOf } from "./timeline.ts";
import { watchersOf } from "./watchers.ts";

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
