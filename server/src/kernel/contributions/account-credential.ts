import type { WriteContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/**
 * A user's credential: password, second factor, token or secret address. Revoked if the account turns out to
 * belong to another person.
 */
export interface AccountCredential {
  /** Plural, as in events. */
  readonly kind: string;
  /** The scope of the credentials. They are revoked in the partition of that scope. */
  readonly scope: "account" | "workspace" | "environment";
  /** Revokes all credentials of an account and resolves to their number. */
  readonly revoke: (ctx: WriteContext<never>, userId: string) => Promise<number>;
}

export const AccountCredentialPoint = extensionPoint<AccountCredential>(
  "kernel.account_credentials",
);
