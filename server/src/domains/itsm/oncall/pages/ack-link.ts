/**
 * Signed links to acknowledge a page without signing in. A link is for one page and one member, and expires. Its key
 * is derived for this purpose.
 */
import { equalBytes, hmac, type MasterKey } from "#kernel/access/crypto.ts";
import type { Partition } from "#kernel/db/database.ts";
import type { EnvironmentName } from "#kernel/db/partition.ts";

const PURPOSE = "signatures of page acknowledgements";
const LINK_MS = 24 * 3_600_000;

export const ACK_TOKEN_PATTERN = "^[A-Za-z0-9_-]{1,400}\\.[A-Za-z0-9_-]{43}$";

export interface AckLink {
  readonly partition: Partition;
  readonly pageId: string;
  readonly userId: string;
}

/** The path of the acknowledgement link of a member. */
export function ackPath(key: MasterKey, { partition, pageId, userId }: AckLink, now: Date): string {
  const { workspace, environment } = partition;
  const content = [workspace, environment, pageId, userId, now.getTime() + LINK_MS];
  const payload = Buffer.from(JSON.stringify(content)).toString("base64url");
  return `/pages/ack/${payload}.${sign(key, payload)}`;
}

/** Undefined if the signature is invalid. */
export function readAckToken(
  key: MasterKey,
  token: string,
  nowMs: number,
): (AckLink & { readonly isExpired: boolean }) | undefined {
  const [payload = "", signature = ""] = token.split(".");
  if (!equalBytes(Buffer.from(sign(key, payload)), Buffer.from(signature))) return undefined;
  // The signature proves that `ackPath` created this token.
  const [workspace, environment, pageId, userId, untilMs] = JSON.parse(
    Buffer.from(payload, "base64url").toString(),
  ) as [string, EnvironmentName, string, string, number];
  return { partition: { workspace, environment }, pageId, userId, isExpired: nowMs >= untilMs };
}

function sign(key: MasterKey, payload: string): string {
  return hmac(key.derive(PURPOSE), payload).toString("base64url");
}
