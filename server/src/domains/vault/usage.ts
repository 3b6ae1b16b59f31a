import Type from "typebox";
import { findReferrers, Referrer } from "#kernel/contributions/reference-source.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object, Time } from "#kernel/schema/schema.ts";
import { Name, SecretsRead } from "./secret.ts";
import * as store from "./store.ts";

const SecretUsage = Type.Object(
  {
    name: Name,
    lastUsedAt: nullable(Time),
    usedIn: Type.Array(Referrer, { description: "At most 50 of each kind" }),
  },
  { title: "SecretUsage" },
);

export const getSecretUsage = query({
  id: "secrets.get_usage",
  route: "GET /api/v1/secrets/{name}/usage",
  summary: "List usages of a secret",
  description:
    "Returns workflows, artifacts, webhooks, connectors and mailboxes that you can view. Scripts that build the name at run time are not found.",
  permission: SecretsRead,
  params: object({ name: Name }),
  response: item(SecretUsage),
  example: { params: { name: "BILLING_API_KEY" } },
  async run(ctx, { params: { name } }) {
    const { lastUsedAt } = await store.get(ctx.tx, name);
    return { name, lastUsedAt, usedIn: await findReferrers(ctx, toPattern(name)) };
  },
});

/** Matches `{{secrets.NAME}}`, `secrets.get("NAME")` and `"secret": "NAME"`. Names contain no special characters. */
function toPattern(name: string): string {
  const quote = "\\\\*[\"'`]";
  return `secrets\\.${name}\\M|secrets\\.get\\(\\s*${quote}${name}${quote}|"secret":\\s*"${name}"`;
}
