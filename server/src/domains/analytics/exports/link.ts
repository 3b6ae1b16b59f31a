/** Addresses that whoever has them may download from, for a while: signed, and good for one file. */
import { equalBytes, hmac, type MasterKey } from "#kernel/access/crypto.ts";
import type { EnvironmentName } from "#kernel/db/partition.ts";

const PURPOSE = "signatures of download addresses";

/** What an address leads to. */
export interface Link {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly exportId: string;
  readonly untilMs: number;
}

export function tokenOf(key: MasterKey, link: Link): string {
  const { workspace, environment, exportId, untilMs } = link;
  const text = Buffer.from(JSON.stringify([workspace, environment, exportId, untilMs]));
  const named = text.toString("base64url");
  return `${named}.${signed(key, named).toString("base64url")}`;
}

/** Undefined unless we made it, and its time is not over. */
export function readToken(key: MasterKey, token: string, nowMs: number): Link | undefined {
  const [named = "", signature = ""] = token.split(".");
  // As texts: the last character of one has bits that the bytes do not have.
  const expected = signed(key, named).toString("base64url");
  if (!equalBytes(Buffer.from(expected), Buffer.from(signature))) return undefined;
  // Only what we signed gets here.
  const [workspace, environment, exportId, untilMs] = JSON.parse(
    Buffer.from(named, "base64url").toString(),
  ) as [string, EnvironmentName, string, number];
  return nowMs < untilMs ? { workspace, environment, exportId, untilMs } : undefined;
}

function signed(key: MasterKey, named: string): Buffer {
  return hmac(key.derive(PURPOSE), named);
}
