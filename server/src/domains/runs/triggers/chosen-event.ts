import Type from "typebox";
import { mayHear } from "#domains/bus/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import { filterEvent } from "#kernel/log/event-visibility.ts";
import { EVENT_ID_PATTERN, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { visibleEvent } from "./event-matcher.ts";

export const PastEventId = Type.String({
  pattern: EVENT_ID_PATTERN,
  description: "A past event of this environment that you can view, instead of `event`",
});

interface ChosenEvent {
  readonly trigger: { readonly event?: unknown };
  readonly past?: RecordedEvent;
}

/** The event passed to a manual run: a past event, or an example event. */
export async function chooseEvent(
  platform: Platform,
  caller: Caller,
  { event, eventId }: { readonly event?: unknown; readonly eventId?: string },
): Promise<ChosenEvent> {
  if (eventId === undefined) return { trigger: event === undefined ? {} : { event } };
  if (event !== undefined) throw invalidField("/event", "can't be combined with an eventId");
  const past = await readChosenEvent(platform, caller, eventId);
  return { trigger: { event: visibleEvent(past) }, past };
}

/** Reads a past event that the caller can see. A run started with it must not bypass an access rule. */
async function readChosenEvent(
  platform: Platform,
  caller: Caller,
  eventId: string,
): Promise<RecordedEvent> {
  const { workspace, environment, principal } = caller;
  if (!workspace) throw new Error("Events are seen within a workspace.");
  const partition = { workspace: workspace.key, environment };
  const position = positionOf(eventId);
  const event = position && (await platform.db.read(partition, (tx) => findEvent(tx, position)));
  const context = {
    services: platform,
    partition,
    read: <T>(work: (tx: Parameters<typeof findEvent>[0]) => Promise<T>) =>
      platform.db.read(partition, work),
  };
  const visible =
    event && mayHear(caller, event.topic) && (await filterEvent(context, principal, event));
  if (!visible) throw invalidField("/eventId", "is not an event that you can view");
  return visible;
}
