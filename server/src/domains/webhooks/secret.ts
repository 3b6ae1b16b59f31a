import { randomBytes } from "node:crypto";
import type { PlatformServices } from "#kernel/contract.ts";
import { open, seal } from "#kernel/access/crypto.ts";
import { recentSecrets } from "#kernel/secrets/recent-secrets.ts";
import type { UsedSecret } from "#kernel/secrets/scrubber.ts";

type Keys = Pick<PlatformServices, "keys">;

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

/** The columns of a webhook that hold its signing secrets. */
interface SealedSecrets {
  readonly secret: Buffer | null;
  readonly previous_secret: Buffer | null;
  readonly previous_secret_until: string | null;
}

/** Signing secrets in the clear, the current one first. The second signs until its time is over. */
export interface SigningSecrets {
  readonly secrets: readonly string[];
  readonly untilMs: number;
}

/** Opens the signing secrets of a webhook, for whoever signs or scrubs. */
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
  const context = contextOf(workspaceKey, webhookId);
  const secrets = sealed.map((one) => open(key, one, context).toString());
  for (const secret of secrets) rememberSigningSecret(secret);
  return { secrets, untilMs };
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
