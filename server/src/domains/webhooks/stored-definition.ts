import Type from "typebox";
import type { StoredDefinition } from "#kernel/contributions/stored-definition.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { headerErrors } from "./header.ts";
import { settings, subscription } from "./webhook.ts";
import { subscriptionErrors } from "./webhook-input.ts";

const Stored = Type.Object({ ...subscription, headers: settings.headers });
const validator = new Validator(Stored, "body");

/** What a webhook hears, and the headers that it sends. */
export const webhookDefinition: StoredDefinition = {
  table: "webhooks",
  columns: "events, environments, filter, headers",
  check(_services, { events, environments, filter, headers }) {
    const result = validator.check({ events, environments, filter, headers });
    if ("errors" in result) return result.errors;
    const checked = result.value as Type.Static<typeof Stored>;
    return [...subscriptionErrors(checked), ...headerErrors(checked.headers)];
  },
};
