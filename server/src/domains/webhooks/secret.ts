import { randomBytes } from "node:crypto";
import type { PlatformServices } from "#kernel/contract.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import { recentSecrets } from "#kernel/secrets/recent-secrets.ts";
import type { UsedSecret } from "#kernel/secrets/scrubber.ts";

type Keys = Pick<PlatformServices, "keys">;

const SECRET_BYTES = 32;
const STANDARD_PREFIX = "whsec_";

/** The time for which the previous secret also signs after a rotation. */
export const PREVIOUS_SECRET_MS = 24 * 3_600_000;

/** Encrypts a signing secret for its row. */
export async function sealSigningSecret(
  { keys }: Keys,
  workspaceKey: string,
  webhookId: string,
  secret: string,
): Promise<Buffer> {
  rememberSigningSecret(secret);
  const key = await keys.of(workspaceKey);
  return seal(key, Buffer.from(secret), sealContext(workspaceKey, webhookId));
}

/** The columns of a webhook that contain its signing secrets. */
interface SealedSecrets {
  readonly secret: Buffer | null;
  readonly previous_secret: Buffer | null;
  readonly previous_secret_until: string | null;
}

/** Decrypted signing secrets, the current one first. The second signs until `untilMs`. */
export interface SigningSecrets {
  readonly secrets: readonly string[];
  readonly untilMs: number;
}

/** Decrypts the signing secrets of a webhook, for signing and scrubbing. */
export async function signingSecrets(
  { keys }: Keys,
  workspaceKey: string,
  webhookId: string,
  row: SealedSecrets,
): Promise<SigningSecrets> {
  const sealed = [row.secret, row.previous_secret].filter((secret) => secret !== null);
  const untilMs = row.previous_secret_until === null ? 0 : Date.parse(row.previous_secret_until);
  if (sealed.length === 0) return { secrets: [], untilMs };
  const key = await keys.of(workspaceKey);
  const context = sealContext(workspaceKey, webhookId);
  const secrets = sealed.map((sealedSecret) => open(key, sealedSecret, context).toString());
  for (const secret of secrets) rememberSigningSecret(secret);
  return { secrets, untilMs };
}

/** Registers a secret, so that log lines are scrubbed of it. */
export function rememberSigningSecret(secret: string): UsedSecret {
  return recentSecrets.remember("of this webhook", secret);
}

/** Generates a secret in the format of Standard Webhooks. */
export function newSigningSecret(): string {
  return STANDARD_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Requires a key after the prefix: with an empty key, anyone could sign. */
export function secretErrorMessage(secret: string): string | undefined {
  if (!secret.startsWith(STANDARD_PREFIX)) return undefined;
  const key = Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64");
  return key.length === 0 ? `must have a key in base64 after ${STANDARD_PREFIX}` : undefined;
}

/** Binds an encrypted secret to its webhook: it cannot be decrypted for another one. */
function sealContext(workspaceKey: string, webhookId: string): string {
  return `webhook secret ${workspaceKey} ${webhookId}`;
}
