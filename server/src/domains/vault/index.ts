import { SecretsUse } from "#kernel/secrets/secrets.ts";
import { contribute } from "#kernel/extension-point.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import * as operations from "./operations.ts";
import {
  SecretCreated,
  SecretDeleted,
  SecretEnvironmentRemoved,
  SecretEnvironmentSet,
  SecretsRead,
  SecretsWrite,
  SecretUpdated,
} from "./secret.ts";
import { count } from "./store.ts";
import { getSecretUsage } from "./usage.ts";

export { findForeignSecrets, findMissingSecrets } from "./store.ts";

export const vault = domain({
  name: "vault",
  summary: "Secrets for workflows, webhooks and connectors. Their values can't be read.",
  environmentScoped: false,
  permissions: [SecretsRead, SecretsWrite, SecretsUse],
  events: [
    SecretCreated,
    SecretUpdated,
    SecretDeleted,
    SecretEnvironmentSet,
    SecretEnvironmentRemoved,
  ],
  operations: [
    operations.listSecrets,
    operations.createSecret,
    operations.getSecret,
    getSecretUsage,
    operations.rotateSecret,
    operations.updateSecret,
    operations.setSecretEnvironment,
    operations.removeSecretEnvironment,
    operations.deleteSecret,
  ],
  contributions: [contribute(UsageCounterPoint, { name: "secrets", count })],
});
