import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { PATTERN_CHARACTERS_MAX } from "#kernel/condition/event-pattern.ts";
import type { ResourceRef } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, text, Time } from "#kernel/schema/schema.ts";

const NAME_CHARACTERS_MAX = 200;
const URL_CHARACTERS_MAX = 2_048;
const PATTERNS_MAX = 100;
const HEADERS_MAX = 50;
const HEADER_CHARACTERS_MAX = 4_096;
const SECRET_CHARACTERS_MAX = 500;

export const WebhookId = id("whk");

export const Secret = Type.String({
  minLength: 1,
  maxLength: SECRET_CHARACTERS_MAX,
  description: "Signs every delivery. Write-only: see `hasSecret`",
});

export const WebhookStatus = Type.Enum(["active", "paused"], {
  description: "Default: `active`",
});

/** The fields that select the events of a webhook. */
export const subscription = {
  events: Type.Array(Type.String({ minLength: 1, maxLength: PATTERN_CHARACTERS_MAX }), {
    minItems: 1,
    maxItems: PATTERNS_MAX,
    description: "Event types or patterns such as `incident.*`, `audit.*` and `*`",
  }),
  environments: nullable(
    Type.Array(Type.Enum(["production", "staging", "development"]), {
      minItems: 1,
      maxItems: 3,
      description: "Environments whose events are sent. Default: all",
    }),
  ),
  filter: nullable(ConditionSchema),
};

/** The fields that a caller sets, except those with an alias. */
export const settings = {
  name: line(NAME_CHARACTERS_MAX, "Display name"),
  url: line(URL_CHARACTERS_MAX, "URL of the recipient. Must use https and a public address"),
  ...subscription,
  headers: Type.Record(Type.String(), text(HEADER_CHARACTERS_MAX), {
    maxProperties: HEADERS_MAX,
    description:
      "Additional headers of each delivery. Values can contain `{{secrets.NAME}}`. The value of a header that looks like a credential is returned as `***` unless it refers to a secret; if you send `***`, the value is kept.",
  }),
  format: Type.Enum(["millrace", "cloudevents"], {
    description: "Default: `millrace`. `cloudevents` is CloudEvents 1.0 as structured JSON",
  }),
  retries: Type.Integer({
    minimum: 0,
    maximum: 20,
    description: "Maximum number of retries of a failed delivery. Default: 3",
  }),
};

/** The fields that have an alias in snake case. */
export const aliasedFields = {
  retryStrategy: Type.Enum(["fixed", "exponential"], {
    description:
      "`exponential` (default) waits 2, 4, 8 … s. `fixed` waits 30 s, 2, 10 and then 30 minutes",
  }),
  retryMaxDelayMs: nullable(
    Type.Integer({
      minimum: 1_000,
      maximum: 86_400_000,
      description: "Longest wait between attempts. Default: one day",
    }),
  ),
  timeoutMs: Type.Integer({
    minimum: 100,
    maximum: 60_000,
    description: "Timeout of an attempt in milliseconds. Default: 10000",
  }),
  maxPerSecond: nullable(
    Type.Number({
      minimum: 0.1,
      maximum: 1_000,
      description: "Maximum number of attempts per second. Default: no limit",
    }),
  ),
};

/** The alias of each field. */
export const FIELD_ALIASES = {
  retryStrategy: "retry_strategy",
  retryMaxDelayMs: "retry_max_delay_ms",
  timeoutMs: "timeout_ms",
  maxPerSecond: "max_per_second",
} as const satisfies Record<keyof typeof aliasedFields, string>;

/** The schemas of the aliases. */
export const aliasFields = {
  retry_strategy: aliasedFields.retryStrategy,
  retry_max_delay_ms: aliasedFields.retryMaxDelayMs,
  timeout_ms: aliasedFields.timeoutMs,
  max_per_second: aliasedFields.maxPerSecond,
} satisfies Record<(typeof FIELD_ALIASES)[keyof typeof aliasedFields], unknown>;

/** The fields that Millrace sets. */
const state = {
  hasSecret: Type.Boolean(),
  hearsAudit: Type.Boolean({
    description:
      "Whether patterns such as `*` include audit events. True if the member who last changed `events` or `url` has `audit:read`",
  }),
  previousSecretExpiresAt: nullable(Time),
  status: Type.Enum(["active", "paused"]),
  pausedBecause: nullable(
    Type.String({ description: "`manual`, `failures`, or `gone` after a response 410" }),
  ),
  pausedAt: nullable(Time),
  catchingUp: Type.Boolean({ description: "True while missed events of a pause are delivered" }),
  consecutiveFailures: Type.Integer({ description: "Number of consecutive failed deliveries" }),
  savedBy: nullable(
    Type.String({
      description: "The member whose permissions the webhook uses for events and secrets",
    }),
  ),
  createdBy: Type.String(),
  createdAt: Time,
  updatedAt: Time,
};

const dataFields = { id: WebhookId, ...settings, ...aliasedFields, ...state };

/** A webhook in events: without aliases and without secrets. */
export const WebhookData = Type.Object(dataFields, { title: "WebhookData" });
export type WebhookData = Static<typeof WebhookData>;

const Warnings = Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
  description: "Possible problems with their paths",
});
export const Webhook = Type.Object(
  { ...dataFields, ...aliasFields, warnings: Type.Optional(Warnings) },
  { title: "Webhook" },
);
export type Webhook = Static<typeof Webhook> & { readonly revision: number };

/** The response to a rotation, the only one that contains a signing secret. */
export const RotatedSecret = Type.Object({
  secret: Type.String({ description: "Shown only in this response" }),
  previousSecretExpiresAt: nullable(Time),
});

export const TooManyWebhooks = failure(
  "too_many_webhooks",
  409,
  "The workspace has reached its limit of webhooks. Delete one first.",
);

/** The data of a webhook in events. */
export function webhookEventData(webhook: Webhook): WebhookData {
  const {
    revision: _,
    retry_strategy,
    retry_max_delay_ms,
    timeout_ms,
    max_per_second,
    ...data
  } = webhook;
  return data;
}

/** The reference to a webhook in events and audit entries. */
export function webhookRef({ id: webhookId, name }: Pick<Webhook, "id" | "name">): ResourceRef {
  return { id: webhookId, displayName: name };
}

export const WebhooksRead = permission("webhooks:read", "View webhooks and their deliveries", [
  "builder",
  "viewer",
  "auditor",
]);
export const WebhooksWrite = permission("webhooks:write", "Create, update and test webhooks", [
  "builder",
]);
