/** The rows of grants: encrypted tokens, one grant per connector. */
import type { Platform } from "#kernel/contract.ts";
import { open, seal, sha256 } from "#kernel/access/crypto.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { AuthorizationCode } from "../auth.ts";

export interface GrantedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** When the access token expires, if known. */
  readonly expiresAtMs?: number;
  /** When the refresh token expires, if known. */
  readonly refreshExpiresAtMs?: number;
}

export interface Grant {
  readonly client: string;
  readonly state: "up" | "expired";
  readonly version: number;
  readonly grantedBy: string;
  readonly grantedAt: string;
  readonly refreshedAt: string | null;
  readonly tokens: GrantedTokens;
}

/** The rows of a connector in its workspace. */
export interface GrantPlace {
  readonly platform: Pick<Platform, "db" | "keys" | "clock">;
  readonly partition: Partition;
  readonly connectorId: string;
}

/** Names the client and the addresses that a grant belongs to. */
export function clientKey({
  authorizeUrl,
  tokenUrl,
  clientId,
}: Pick<AuthorizationCode, "authorizeUrl" | "tokenUrl" | "clientId">): string {
  return sha256(JSON.stringify([authorizeUrl, tokenUrl, clientId])).toString("base64url");
}

const READ = `
  select client, state, version, granted_by as "grantedBy", granted_at as "grantedAt", refreshed_at as "refreshedAt",
         sealed from connector_grants where connector_id = $1`;

export async function readGrant(place: GrantPlace): Promise<Grant | undefined> {
  const { platform, partition, connectorId } = place;
  const [row] = await platform.db.read(partition, (tx) => queryRows(tx, READ, [connectorId]));
  if (!row) return undefined;
  const { sealed, ...grant } = row;
  const key = await platform.keys.of(partition.workspace);
  const plain = open(key, sealed as Buffer, contextOf(place)).toString();
  // Only data encrypted by `sealTokens` is decrypted here.
  return { ...grant, tokens: JSON.parse(plain) as GrantedTokens } as Grant;
}

export async function sealTokens(place: GrantPlace, tokens: GrantedTokens): Promise<Buffer> {
  const key = await place.platform.keys.of(place.partition.workspace);
  return seal(key, Buffer.from(JSON.stringify(tokens)), contextOf(place));
}

const LEASE_MS = 30_000;
const TAKE_LEASE = `
  update connector_grants set refresh_until = $3
   where connector_id = $1 and version = $2 and state = 'up' and (refresh_until is null or refresh_until < $4)
  returning version`;

/** True for the only caller that may refresh this version of a grant now. */
export async function takeRefreshLease(
  { platform, partition, connectorId }: GrantPlace,
  version: number,
): Promise<boolean> {
  const now = platform.clock.now();
  const until = new Date(now.getTime() + LEASE_MS);
  const rows = await platform.db.write(partition, (session) =>
    session.send(TAKE_LEASE, [connectorId, version, until, now]),
  );
  return rows.length > 0;
}

const SAVE_REFRESH = `
  update connector_grants set sealed = $3, version = version + 1, refresh_until = null, refreshed_at = $4
   where connector_id = $1 and version = $2`;

export async function saveRefresh(
  place: GrantPlace,
  version: number,
  tokens: GrantedTokens,
): Promise<void> {
  const { platform, partition, connectorId } = place;
  const sealed = await sealTokens(place, tokens);
  await platform.db.write(partition, (session) =>
    session.send(SAVE_REFRESH, [connectorId, version, sealed, platform.clock.now()]),
  );
}

const RELEASE =
  "update connector_grants set refresh_until = null where connector_id = $1 and version = $2";

/** Releases the lease after a temporary refresh failure, so that others can retry. */
export async function releaseLease(
  { platform, partition, connectorId }: GrantPlace,
  version: number,
): Promise<void> {
  await platform.db.write(partition, (session) => session.send(RELEASE, [connectorId, version]));
}

/** Binds tokens to their connector: they cannot be decrypted for another one. */
function contextOf({ partition, connectorId }: GrantPlace): string {
  return `connector grant ${partition.workspace} ${connectorId}`;
}
