import Type from "typebox";
import { id, line, object } from "#kernel/schema/schema.ts";
import { SECRET_NAME } from "#kernel/secrets/secret-reference.ts";

const EVERY_DEFAULT_MS = 300_000;

/** Fields of triggers that poll. */
const pollFields = {
  everyMs: Type.Optional(
    Type.Integer({
      minimum: 10_000,
      maximum: 86_400_000,
      description: `Polling interval. Default: ${EVERY_DEFAULT_MS}`,
    }),
  ),
  batchItems: Type.Optional(
    Type.Boolean({
      description:
        "Starts one run for all new items, in `trigger.input.items`, instead of one run per item",
    }),
  ),
};

/** Default poll interval. */
export const POLL_EVERY_MS = EVERY_DEFAULT_MS;

/** The fields of a trigger that listens to a connector. */
export const connectorTriggerFields = {
  connectorId: id("con"),
  event: Type.Optional(line(60, "A trigger of the connector. Without it, an action is polled")),
  arguments: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Arguments of the trigger or action, without expressions",
    }),
  ),
  poll: Type.Optional(
    object({
      action: line(200, "The action that lists items, including the newest"),
      items: Type.Optional(
        line(200, "Path of the items in the output, such as `body.data`. Default: `items`"),
      ),
      itemId: Type.Optional(
        line(
          200,
          "Fields that identify an item. Default: `id`. `+` joins fields, `$hash` is a hash of the item, `$index` its index",
        ),
      ),
    }),
  ),
  secret: Type.Optional(
    Type.String({
      pattern: `^\\{\\{\\s*secrets\\.${SECRET_NAME}\\s*\\}\\}$`,
      maxLength: 200,
      description:
        "For a webhook that you register manually: the key that the other system signs with",
    }),
  ),
  ...pollFields,
};

/** The fields of a trigger that reads a feed. */
export const rssTriggerFields = {
  feedUrl: line(2_048, "URL of an RSS or Atom feed"),
  ...pollFields,
};

/** Forms of both trigger types. */
export const connectorTriggerForms = {
  connector: {
    type: "connector" as const,
    summary: "Starts a run for events of another system, by polling or by webhook",
    title: "App event",
    icon: "plug",
    first: { type: "connector", connectorId: "" },
    fields: {
      connectorId: { title: "Connector", reference: "connector" as const },
      event: { title: "Event" },
      arguments: { title: "Arguments", example: {} },
      poll: { title: "Polled action" },
      secret: { title: "Signing secret", reference: "secret" as const },
      everyMs: { title: "Interval" },
      batchItems: { title: "All new items in one run" },
    },
    scope: Type.Object({ type: Type.Literal("connector"), input: Type.Unknown() }),
  },
  rss: {
    type: "rss" as const,
    summary: "Starts a run for each new entry of an RSS or Atom feed",
    title: "RSS feed",
    icon: "rss",
    first: { type: "rss", feedUrl: "" },
    fields: {
      feedUrl: { title: "Feed", placeholder: "https://example.com/feed.xml" },
      everyMs: { title: "Interval" },
      batchItems: { title: "All new entries in one run" },
    },
    scope: Type.Object({ type: Type.Literal("rss"), input: Type.Unknown() }),
  },
};
