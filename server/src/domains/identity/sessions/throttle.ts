import { toAccountEmail } from "#domains/identity/accounts/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { hmac, type MasterKey } from "#kernel/access/crypto.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";

export const KNOWN_ADDRESS_MS = 90 * 24 * 3_600_000;

const FIND_KNOWN_ADDRESS = `
  select from known_addresses k join users u on u.id = k.user_id
   where u.email = $1 and u.managed_by is null and k.address_hash = $2 and k.seen_at > $3`;

/**
 * Throttles password guesses by address and by account. Attempts on an account from unknown addresses share one
 * limit, each known address has its own: an attacker cannot lock the person out.
 */
export async function throttleAccount(
  platform: Platform,
  email: string,
  address: string,
): Promise<void> {
  const { rateLimit, settings, clock, db, masterKey } = platform;
  if (settings.loginRateLimit === 0) return;
  const account = toAccountEmail(email);
  const since = new Date(clock.nowMs() - KNOWN_ADDRESS_MS);
  const known = await db.system(FIND_KNOWN_ADDRESS, [
    account,
    addressHash(masterKey, address),
    since,
  ]);
  const source = known.length > 0 ? `from ${classifyAddress(address)}` : "from elsewhere";
  throttleAddress(platform, address);
  rateLimit.assert(`guess ${account} ${source}`, settings.loginRateLimit);
}

/** Throttles only by address, for credentials without an account, such as a link. */
export function throttleAddress({ rateLimit, settings }: Platform, address: string): void {
  rateLimit.assert(`guess from ${classifyAddress(address)}`, settings.loginRateLimit);
}

/** Records the address of a login as a keyed hash, so that the database does not reveal locations. */
export async function recordKnownAddress(
  tx: Tx,
  masterKey: MasterKey,
  login: { readonly userId: string; readonly address: string; readonly now: Date },
): Promise<void> {
  await tx
    .insertInto("known_addresses")
    .values({
      user_id: login.userId,
      address_hash: addressHash(masterKey, login.address),
      seen_at: login.now,
    })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "address_hash"]).doUpdateSet({ seen_at: login.now }),
    )
    .execute();
}

function addressHash(masterKey: MasterKey, address: string): Buffer {
  return hmac(masterKey.derive("known addresses"), classifyAddress(address));
}
