import { randomBytes } from "node:crypto";
import type { Services } from "#kernel/caller.ts";
import { open, seal } from "#kernel/crypto.ts";
import { recentSecrets } from "#kernel/secrets/recent.ts";
import type { UsedSecret } from "#kernel/secrets/scrubber.ts";

type Keys = Pick<Services, "keys">;

const SECRET_BYTES = 32;
const STANDARD_PREFIX = "whsec_";

/** How long the former secret signs too after a rotation. */
export const PREVIOUS_SECRET_MS = 24 * 3_600_000;

/** A signing secret as its row keeps it. */
export async function sealSigningSecret(
  { keys }: Keys,
  workspaceKey: string,
  webhookId: string,
  secret: string,
): Promise<Buffer> {
  rememberSigningSecret(secret);
  const key = await keys.of(workspaceKey);
  return seal(key, Buffer.from(secret), contextOf(workspaceKey, webhookId));
}

/** A signing secret in the clear, for whoever signs. */
export async function openSigningSecret(
  { keys }: Keys,
  workspaceKey: string,
  webhookId: string,
  sealed: Buffer,
): Promise<string> {
  const key = await keys.of(workspaceKey);
  const secret = open(key, sealed, contextOf(workspaceKey, webhookId)).toString();
  rememberSigningSecret(secret);
  return secret;
}

/** From then on log lines are scrubbed of it, and whoever scrubs for itself may. */
export function rememberSigningSecret(secret: string): UsedSecret {
  return recentSecrets.remember("of this webhook", secret);
}

/** A new secret, as Standard Webhooks writes them. */
export function newSigningSecret(): string {
  return STANDARD_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Behind the prefix the key must be there: with an empty one anybody could sign. */
export function faultOfSecret(secret: string): string | undefined {
  if (!secret.startsWith(STANDARD_PREFIX)) return undefined;
  const key = Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64");
  return key.length === 0 ? `must have a key in base64 after ${STANDARD_PREFIX}` : undefined;
}

/** Binds a sealed secret to its place: moved to another webhook it does not open. */
function contextOf(workspaceKey: string, webhookId: string): string {
  return `webhook secret ${workspaceKey} ${webhookId}`;
}
