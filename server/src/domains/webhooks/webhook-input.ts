import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import { eventTypeDoubt } from "#domains/bus/index.ts";
import { checkCondition } from "#kernel/condition/condition.ts";
import { isPattern } from "#kernel/condition/event-pattern.ts";
import { assertNoErrors, type FieldError } from "#kernel/operation/failure.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import type { StoredDefinition } from "#kernel/resource/stored-definition.ts";
import { nullable, object, patch } from "#kernel/schema/schema.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { headerErrors, findReferenceErrors } from "./header.ts";
import { secretErrorMessage } from "./secret.ts";
import {
  aliasFields,
  Secret,
  settings,
  subscription,
  FIELD_ALIASES,
  WebhookStatus,
  aliasedFields,
} from "./webhook.ts";

const fields = {
  ...settings,
  ...aliasedFields,
  ...aliasFields,
  secret: nullable(Secret),
  status: WebhookStatus,
};
const { name, url, events, ...optional } = fields;

export const NewWebhook = object({
  name,
  url,
  events,
  ...Type.Partial(Type.Object(optional)).properties,
});
export const WebhookChange = patch(fields);

const Fields = Type.Object({
  ...settings,
  ...aliasedFields,
  secret: nullable(Secret),
  status: WebhookStatus,
});

/** The input of a webhook with its aliases resolved. */
export type WebhookInput = Partial<Static<typeof Fields>>;

/** The workspace of the caller, which is set for all webhook operations. */
export function workspaceOf({ workspace }: Caller): string {
  if (!workspace) throw new Error("A webhook belongs to a workspace.");
  return workspace.key;
}

/** Parses the body of a request; throws a failure with all field errors. */
export async function parseWebhookInput(
  platform: Platform,
  caller: Caller,
  body: Static<typeof WebhookChange>,
): Promise<WebhookInput> {
  const { input, errors } = resolveAliases(body);
  assertNoErrors([...errors, ...(await findInputErrors(platform, caller, input))]);
  return input;
}

/** The field errors of a subscription, also used by previews. */
export function subscriptionErrors(input: Pick<WebhookInput, "events" | "filter">): FieldError[] {
  const { events: patterns = [], filter } = input;
  const patternErrors = patterns.flatMap((pattern, index) =>
    isPattern(pattern)
      ? []
      : [{ path: `/events/${index}`, message: "is not an event type or a pattern" }],
  );
  const filterErrors = filter ? checkCondition(filter) : [];
  return [
    ...patternErrors,
    ...filterErrors.map(({ path, message }) => ({ path: `/filter${path}`, message })),
  ];
}

/** Warnings about a subscription: an unknown event type, and the closest known one. */
export function subscriptionWarnings(
  services: Pick<PlatformServices, "eventTypes">,
  { events: patterns = [] }: { readonly events?: readonly string[] | undefined },
): { readonly warnings?: FieldError[] } {
  const warnings = patterns.flatMap((pattern, index) => {
    const message = eventTypeDoubt(services, pattern);
    return message === undefined ? [] : [{ path: `/events/${index}`, message }];
  });
  return warnings.length > 0 ? { warnings } : {};
}

async function findInputErrors(
  platform: Platform,
  caller: Caller,
  input: WebhookInput,
): Promise<FieldError[]> {
  const { headers = {}, secret } = input;
  const secretMessage = typeof secret === "string" ? secretErrorMessage(secret) : undefined;
  return [
    ...urlErrors(platform, input.url),
    ...subscriptionErrors(input),
    ...headerErrors(headers),
    ...(await findReferenceErrors(platform, workspaceOf(caller), headers)),
    ...(secretMessage === undefined ? [] : [{ path: "/secret", message: secretMessage }]),
  ];
}

function urlErrors({ outbound }: Platform, input: string | undefined): FieldError[] {
  if (input === undefined) return [];
  try {
    outbound.check({ url: input });
    return [];
  } catch (error) {
    if (error instanceof OutboundRefused) return [{ path: "/url", message: error.message }];
    throw error;
  }
}

type Body = Static<typeof WebhookChange>;

function resolveAliases(body: Body): {
  readonly input: WebhookInput;
  readonly errors: readonly FieldError[];
} {
  const { retry_strategy, retry_max_delay_ms, timeout_ms, max_per_second, ...rest } = body;
  const aliases = { retry_strategy, retry_max_delay_ms, timeout_ms, max_per_second };
  const errors: FieldError[] = [];
  const resolved: Record<string, unknown> = {};
  for (const [field, alias] of Object.entries(FIELD_ALIASES)) {
    const values = [rest[field as keyof typeof FIELD_ALIASES], aliases[alias]];
    const [first, second] = values.filter((value) => value !== undefined);
    if (second !== undefined && first !== second) {
      errors.push({ path: `/${field}`, message: `must be the same as ${alias}` });
      errors.push({ path: `/${alias}`, message: `must be the same as ${field}` });
    }
    if (first !== undefined) resolved[field] = first;
  }
  // The fields of `resolved` have the schemas of their aliases.
  return { input: { ...rest, ...resolved } as WebhookInput, errors };
}

const StoredWebhook = Type.Object({ ...subscription, headers: settings.headers });
const storedWebhooks = new Validator(StoredWebhook, "body");

/** The events that a webhook receives, and the headers that it sends. */
export const webhookDefinition: StoredDefinition = {
  table: "webhooks",
  columns: "events, environments, filter, headers",
  check(_services, { events: patterns, environments, filter, headers }) {
    const result = storedWebhooks.check({ events: patterns, environments, filter, headers });
    if ("errors" in result) return result.errors;
    const checked = result.value as Static<typeof StoredWebhook>;
    return [...subscriptionErrors(checked), ...headerErrors(checked.headers)];
  },
};
