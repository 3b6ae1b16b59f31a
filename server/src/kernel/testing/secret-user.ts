import { type SecretUser, SecretsUse } from "../secrets/secrets.ts";

/** Somebody who may use secrets. */
export const secretUser: SecretUser = async () => ({ permissions: new Set([SecretsUse.name]) });

/** Where a secret has its own value. */
export function inProduction(workspace: string) {
  return { workspace, environment: "production" } as const;
}
