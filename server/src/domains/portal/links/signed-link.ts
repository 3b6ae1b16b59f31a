/** Signed links in e-mails: the link contains the allowed action, for one person and a limited time. */
import { equalBytes, hmac, type MasterKey } from "#kernel/access/crypto.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { EnvironmentName, Partition } from "#kernel/db/partition.ts";

const DAY_MS = 24 * 3_600_000;

export interface SignedLink {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly ticketId: string;
  /** The member or contact who receives the e-mail. */
  readonly personId: string;
  /** The index of one of several choices, from 0. */
  readonly choice: number;
  readonly untilMs: number;
}

/** The tokens of a number of choices. */
export function signChoices(
  { masterKey, clock }: Pick<PlatformServices, "masterKey" | "clock">,
  partition: Partition,
  about: Pick<SignedLink, "ticketId" | "personId"> & {
    readonly purpose: string;
    readonly choices: readonly number[];
    readonly days: number;
  },
): readonly string[] {
  const { purpose, choices, days, ticketId, personId } = about;
  const { workspace, environment } = partition;
  const untilMs = clock.nowMs() + days * DAY_MS;
  return choices.map((choice) => {
    const parts = [workspace, environment, ticketId, personId, choice, untilMs];
    const payload = Buffer.from(JSON.stringify(parts)).toString("base64url");
    return `${payload}.${sign(masterKey, purpose, payload)}`;
  });
}

/** Undefined unless the signature, the purpose and the expiry are valid. */
export function verifyLink(
  key: MasterKey,
  {
    purpose,
    token,
    nowMs,
  }: { readonly purpose: string; readonly token: string; readonly nowMs: number },
): SignedLink | undefined {
  const [payload = "", signature = ""] = token.split(".");
  if (!equalBytes(Buffer.from(sign(key, purpose, payload)), Buffer.from(signature)))
    return undefined;
  // Only data signed by this server gets here.
  const [workspace, environment, ticketId, personId, choice, untilMs] = JSON.parse(
    Buffer.from(payload, "base64url").toString(),
  ) as [string, EnvironmentName, string, string, number, number];
  if (nowMs >= untilMs) return undefined;
  return { workspace, environment, ticketId, personId, choice, untilMs };
}

function sign(key: MasterKey, purpose: string, payload: string): string {
  return hmac(key.derive(purpose), payload).toString("base64url");
}
