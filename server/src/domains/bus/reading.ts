import type { Static } from "typebox";
import { AuditRead } from "#domains/audit/index.ts";
import { type Caller, type Outside, type Services } from "#kernel/caller.ts";
import { eventIdOf, positionOf, toEnvelope } from "#kernel/event.ts";
import { Failure, Forbidden, invalid } from "#kernel/failure.ts";
import { type Feed, lobbyOf } from "./lobby.ts";
import { AUDIT, PLATFORM_EVENTS, platformTopics, type TopicPage } from "./topic.ts";

/** What was just published should be in the next answer, though an older transaction is still open. */
const SETTLE_MAX_MS = 250;
const BEGINNING = eventIdOf({ epoch: 0, xid: 0, seq: 0 });

export interface Question {
  readonly name: string;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly timeout: number;
}

/** A page of a topic, oldest first, as soon as there is something to show or the time is over. */
export async function read(
  outside: Outside,
  caller: Caller,
  { name, after = BEGINNING, limit, timeout }: Question,
): Promise<Static<typeof TopicPage>> {
  const batch = await lobbyOf(outside).next(feedOf(outside, caller, name), {
    after: cursorOf(after, "?after"),
    limit,
    waitMs: timeout,
    settleMs: SETTLE_MAX_MS,
    gone: caller.gone,
  });
  return {
    data: batch.events.map(toEnvelope),
    pagination: {
      nextCursor: batch.events.at(-1)?.id ?? after,
      hasMore: batch.hasMore,
      limit,
    },
  };
}

/** The topics behind a name, as far as the caller may read them. */
export function feedOf(services: Services, caller: Caller, name: string): Feed {
  const { workspace, environment } = caller;
  if (!workspace) throw new Error("A topic belongs to a workspace.");
  const partition = { workspace: workspace.key, environment };
  const hidden = hiddenTopics(caller);
  if (hidden.includes(name)) {
    throw new Failure(Forbidden, { detail: `This needs the permission ${AuditRead.name}.` });
  }
  if (name !== PLATFORM_EVENTS) return { partition, name, topics: [name] };
  const topics = platformTopics(services).filter((topic) => !hidden.includes(topic));
  // Those who see less do not share with those who see all. No topic's name has a space.
  return { partition, name: [name, ...hidden].join(" without "), topics };
}

/** The audit log has a permission of its own; a topic must not be the way around it. */
export function hiddenTopics({ permissions }: Caller): readonly string[] {
  return permissions.has(AuditRead.name) ? [] : [AUDIT];
}

/** Any event's id is a cursor of any topic. */
export function cursorOf(text: string, path: string): string {
  if (!positionOf(text)) throw invalid(path, "is neither an event's id nor a cursor of a topic");
  return text;
}
