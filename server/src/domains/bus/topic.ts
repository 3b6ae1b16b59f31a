import Type from "typebox";
import type { PlatformServices } from "#kernel/contract.ts";
import { permission } from "#kernel/access/permission.ts";
import { EventEnvelope, EVENT_ID_PATTERN, topicOf, type CatalogEntry } from "#kernel/log/event.ts";
import { compilePattern, isPattern } from "#kernel/condition/event-pattern.ts";
import { failure } from "#kernel/operation/failure.ts";
import { closestName } from "#kernel/schema/closest-name.ts";
import { line, Time } from "#kernel/schema/schema.ts";

const CHARACTERS_MAX = 200;
const DOTTED_WORDS = "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$";

/** The topic of all platform events, which are also on their own topics. */
export const PLATFORM_EVENTS = "platform.events";

/** The topic of all user messages, which are also on their own topics. */
export const PLATFORM_MESSAGES = "platform.messages";

/** The topic of security and administration events, for users with access to the audit log. */
export const AUDIT = "audit";

/** Reserved namespaces, including some without events in this version. */
const PROMISED_NAMESPACES = [
  "change",
  "connector",
  "deploy",
  "incident",
  "record",
  "sla",
  "user",
  "workflow",
];

export const TopicName = Type.String({
  pattern: DOTTED_WORDS,
  maxLength: CHARACTERS_MAX,
  description: "Words of letters, digits, `_` and `-`, separated by dots",
});

/** The body of a publish. */
export const Message = {
  type: Type.String({
    pattern: DOTTED_WORDS,
    maxLength: CHARACTERS_MAX,
    description:
      "Words separated by dots. Example: `order.shipped`. Platform event types are reserved",
  }),
  payload: Type.Record(Type.String(), Type.Unknown(), {
    description: "An object that becomes the `data` of the event",
  }),
  deduplicationKey: Type.Optional(
    line(
      CHARACTERS_MAX,
      "A second message with the same key, in this topic within 5 minutes, is suppressed",
    ),
  ),
};

export const PublishedMessage = Type.Object(
  {
    id: Type.String({ pattern: EVENT_ID_PATTERN }),
    deduplicated: Type.Boolean({
      description: "True if the message was suppressed as a duplicate",
    }),
  },
  { title: "PublishedMessage" },
);

/** A page of a topic. Unlike a list it has no end, so it always has a cursor. */
export const TopicPage = Type.Object({
  data: Type.Array(EventEnvelope),
  pagination: Type.Object(
    {
      nextCursor: Type.String({
        description: "Cursor of the next page. Send it as `after`, even if there were no events",
      }),
      hasMore: Type.Boolean({ description: "Whether there are more events now" }),
      limit: Type.Integer(),
    },
    { title: "TopicPagination" },
  ),
});

export const Topic = Type.Object(
  {
    name: Type.String(),
    events: Type.Integer({ description: "Current number of events" }),
    lastEventAt: Time,
    platform: Type.Boolean({ description: "Whether only the platform can publish to this topic" }),
  },
  { title: "Topic" },
);

export const TopicReserved = failure(
  "topic_reserved",
  403,
  "Only the platform can publish to this topic.",
);

interface Catalog {
  readonly types: ReadonlySet<string>;
  /** The topics of the platform's events, in order. */
  readonly namespaces: readonly string[];
}
const catalogs = new WeakMap<readonly CatalogEntry[], Catalog>();

/** The platform's own topics, by name. */
export function platformTopics(services: Pick<PlatformServices, "eventTypes">): readonly string[] {
  return catalogOf(services).namespaces;
}

/** True for a topic on which only the platform publishes. */
export function isReserved(services: Pick<PlatformServices, "eventTypes">, topic: string): boolean {
  return /^(audit|platform)(\.|$)/.test(topic) || catalogOf(services).namespaces.includes(topic);
}

/** True for a type of the platform's own events. */
export function isPlatformType(
  services: Pick<PlatformServices, "eventTypes">,
  type: string,
): boolean {
  return /^audit(\.|$)/.test(type) || catalogOf(services).types.has(type);
}

/**
 * A warning about a pattern of event types that matches no platform type, but has a platform namespace or is similar
 * to one. Undefined for a user's own type.
 */
export function eventTypeDoubt(
  services: Pick<PlatformServices, "eventTypes">,
  pattern: string,
): string | undefined {
  const { types, namespaces } = catalogOf(services);
  if (!isPattern(pattern)) return undefined;
  const matches = compilePattern([pattern]);
  if ([...types].some(matches)) return undefined;
  const closest = closestName(pattern, types);
  if (closest !== undefined)
    return `is not an event type of the platform (did you mean ${closest}?)`;
  const [namespace = ""] = pattern.split(".");
  const isOurs = namespaces.includes(namespace) || namespaces.includes(topicOf(pattern));
  return isOurs ? `matches no event type of the platform; see GET /api/v1/event-types` : undefined;
}

function catalogOf({ eventTypes }: Pick<PlatformServices, "eventTypes">): Catalog {
  let catalog = catalogs.get(eventTypes);
  if (!catalog) {
    const types = new Set(eventTypes.map(({ type }) => type));
    const namespaces = new Set([...PROMISED_NAMESPACES, ...[...types].map(topicOf)]);
    catalog = { types, namespaces: [...namespaces].toSorted() };
    catalogs.set(eventTypes, catalog);
  }
  return catalog;
}

export const EventsPublish = permission("events:publish", "Publish messages to topics", [
  "builder",
  "agent",
  "change_manager",
]);
