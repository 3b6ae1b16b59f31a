import { SecretsUse } from "#kernel/secrets/secrets.ts";
import { contribute } from "#kernel/extension-point.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { SecretCreated, SecretDeleted, SecretUpdated } from "./secret.ts";
import { createSecret, deleteSecret, getSecret, listSecrets, rotateSecret } from "./operations.ts";
import { SecretsRead, SecretsWrite } from "./secret.ts";
import { count } from "./store.ts";
import { getSecretUsage } from "./usage.ts";

export { findMissingSecrets } from "./store.ts";

export const vault = domain({
  name: "vault",
  summary: "Secrets that workflows, webhooks and connectors use and nobody reads.",
  environmentScoped: false,
  permissions: [SecretsRead, SecretsWrite, SecretsUse],
  events: [SecretCreated, SecretUpdated, SecretDeleted],
  operations: [listSecrets, createSecret, getSecret, getSecretUsage, rotateSecret, deleteSecret],
  contributions: [contribute(UsageCounterPoint, { name: "secrets", count })],
});
