import Type from "typebox";
import { id, line, object } from "#kernel/schema/schema.ts";
import { SECRET_NAME } from "#kernel/secrets/secret-reference.ts";

const EVERY_DEFAULT_MS = 300_000;

/** How polls begin runs. */
const pollFields = {
  everyMs: Type.Optional(
    Type.Integer({
      minimum: 10_000,
      maximum: 86_400_000,
      description: `How often it is looked; ${EVERY_DEFAULT_MS} unless given`,
    }),
  ),
  batchItems: Type.Optional(
    Type.Boolean({
      description: "One run for all new items, in `trigger.input.items`, instead of one for each",
    }),
  ),
};

/** How often is looked unless a trigger says it. */
export const POLL_EVERY_MS = EVERY_DEFAULT_MS;

/** The fields of a trigger that listens to a connector. */
export const connectorTriggerFields = {
  connectorId: id("con"),
  event: Type.Optional(
    line(60, "A trigger of the connector's preset; without it, an action is polled"),
  ),
  arguments: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "What the preset's trigger or the action asks for; no expressions",
    }),
  ),
  poll: Type.Optional(
    object({
      action: line(200, "The action that lists items, the newest among them"),
      items: Type.Optional(
        line(200, "Where they are in what it gives, such as `body.data`; `items` unless given"),
      ),
      itemId: Type.Optional(
        line(
          200,
          "What tells them apart: `id` unless given, fields joined by `+`, `$hash` of all, `$index`",
        ),
      ),
    }),
  ),
  secret: Type.Optional(
    Type.String({
      pattern: `^\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\}$`,
      maxLength: 200,
      description: "Of a hook that is entered by hand: the key that the other system signs with",
    }),
  ),
  ...pollFields,
};

/** The fields of a trigger that reads a feed. */
export const rssTriggerFields = {
  feedUrl: line(2_048, "Of an RSS or Atom feed"),
  ...pollFields,
};

/** How consoles show both kinds. */
export const connectorTriggerForms = {
  connector: {
    type: "connector" as const,
    summary: "For what happens in another system: polled, or told by it",
    title: "On a connector",
    icon: "plug",
    first: { type: "connector", connectorId: "" },
    fields: {
      connectorId: { title: "Connector", reference: "connector" as const },
      event: { title: "Event" },
      arguments: { title: "Arguments", example: {} },
      poll: { title: "Polled action" },
      secret: { title: "Signing secret", reference: "secret" as const },
      everyMs: { title: "Every" },
      batchItems: { title: "All new items in one run" },
    },
    scope: Type.Object({ type: Type.Literal("connector"), input: Type.Unknown() }),
  },
  rss: {
    type: "rss" as const,
    summary: "For each new entry of a feed",
    title: "On a feed",
    icon: "rss",
    first: { type: "rss", feedUrl: "" },
    fields: {
      feedUrl: { title: "Feed", placeholder: "https://example.com/feed.xml" },
      everyMs: { title: "Every" },
      batchItems: { title: "All new entries in one run" },
    },
    scope: Type.Object({ type: Type.Literal("rss"), input: Type.Unknown() }),
  },
};
