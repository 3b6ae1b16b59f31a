import { type SecretUser, SecretsUse } from "../secrets/secrets.ts";

/** A user with the permission to use secrets. */
export const secretUser: SecretUser = async () => ({ permissions: new Set([SecretsUse.name]) });

export function inProduction(workspace: string) {
  return { workspace, environment: "production" } as const;
}
