import type { WriteContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/**
 * A kind of credential that a person has or has given out: a password, second factors, tokens, secret addresses.
 * All kinds together are what ends when an account turns out to have been somebody else's.
 */
export interface AccountCredential {
  /** Plural, as in events. */
  readonly kind: string;
  /** Of the account itself, of one workspace or of one of its environments: these are revoked in its partition. */
  readonly scope: "account" | "workspace" | "environment";
  /** Revokes all of an account, and resolves to their number. */
  readonly revoke: (ctx: WriteContext<never>, userId: string) => Promise<number>;
}

export const AccountCredentialPoint = extensionPoint<AccountCredential>(
  "kernel.account_credentials",
);
