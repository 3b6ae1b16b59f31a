import { type SecretUser, SecretsUse } from "../secrets/secrets.ts";

/** Somebody who may use secrets. */
export const secretUser: SecretUser = async () => ({ permissions: new Set([SecretsUse.name]) });
