/** Credentials of a connector for staging or development that replace the production credentials. */
import { findRights, type Authority } from "#domains/identity/accounts/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import type { SecretUser } from "#kernel/secrets/secrets.ts";
import type { AuthFields } from "../auth.ts";
import {
  decryptCredentials,
  type Json,
  omitCredentialHeaders,
  type Parts,
  unmaskCredentials,
} from "../credentials.ts";
import type { StoredConnector } from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";

export const NoCredentialsHere = failure(
  "no_credentials_here",
  409,
  "The connector has no credentials in this environment, and must not use the production credentials here.",
);

export interface EnvironmentCredentials {
  readonly environment: "staging" | "development";
  readonly auth: AuthFields;
  readonly baseUrl: string | null;
  readonly parameters: Json | null;
  readonly sealed: Buffer | null;
  readonly savedBy: string;
  readonly permissions: readonly string[] | null;
  readonly revision: number;
  readonly updatedAt: string;
}

const COLUMNS = `environment, auth, base_url as "baseUrl", parameters, sealed, saved_by as "savedBy", permissions, revision,
  updated_at as "updatedAt"`;

export async function listEnvironmentCredentials(
  tx: Tx,
  connectorId: string,
): Promise<EnvironmentCredentials[]> {
  const text = `select ${COLUMNS} from connector_credentials where connector_id = $1 order by environment`;
  return queryRows<EnvironmentCredentials>(tx, text, [connectorId]);
}

/** The encryption context of an environment's credentials: they cannot be decrypted for another one. */
export function toSealedId(connectorId: string, environment: string): string {
  return `${connectorId} ${environment}`;
}

/**
 * The configuration of a connector with the address of an environment. Headers that contain credentials belong to
 * production and are removed.
 */
export function mergeConfig(
  { type, config }: Pick<StoredConnector, "type" | "config">,
  { baseUrl, parameters }: Pick<EnvironmentCredentials, "baseUrl" | "parameters">,
): Json {
  return {
    ...omitCredentialHeaders(connectorTypeOf(type).config, config),
    ...(baseUrl !== null && { baseUrl }),
    ...(parameters && { parameters }),
  };
}

/**
 * Decrypts the credentials of a connector. Also returns whether they belong to the environment, and the authority
 * for the secrets in them.
 */
export async function revealCredentials(
  platform: Platform,
  partition: Partition,
  connector: StoredConnector,
): Promise<{ readonly parts: Parts; readonly user: SecretUser; readonly isOwn: boolean }> {
  const { workspace, environment } = partition;
  const type = connectorTypeOf(connector.type);
  const owner = { workspace, id: connector.id };
  const own = await decryptCredentials(platform, owner, connector.sealed);
  const here =
    environment === "production" ? undefined : await findHere(platform, partition, connector);
  const userOf =
    (authority: Authority): SecretUser =>
    () =>
      findRights(platform, workspace, authority);
  if (!here) {
    const parts = connector as { config: Json; auth: Json };
    const authority = { runAs: connector.savedBy, permissions: connector.permissions };
    return { ...unmaskCredentials(type.config, parts, own), user: userOf(authority), isOwn: false };
  }
  const sealedId = toSealedId(connector.id, environment);
  const credentials = await decryptCredentials(platform, { workspace, id: sealedId }, here.sealed);
  const parts = { config: mergeConfig(connector, here), auth: { ...here.auth } };
  const authority = { runAs: here.savedBy, permissions: here.permissions };
  const { parts: revealed } = unmaskCredentials(type.config, parts, credentials);
  return { parts: revealed, user: userOf(authority), isOwn: true };
}

async function findHere(
  platform: Platform,
  partition: Partition,
  { id, config }: StoredConnector,
): Promise<EnvironmentCredentials | undefined> {
  const rows = await platform.db.read(partition, (tx) => listEnvironmentCredentials(tx, id));
  const here = rows.find(({ environment }) => environment === partition.environment);
  if (!here && config["ownCredentialsOnly"] === true) throw new Failure(NoCredentialsHere);
  return here;
}
