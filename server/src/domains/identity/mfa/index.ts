import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import * as events from "./events.ts";
import { challengeRetentionJob, deleteFactors } from "./store.ts";
import * as operations from "./operations.ts";
import { SecurityWrite } from "./factor.ts";

export { MfaChallenged, MfaFailed, RecoveryCodeUsed } from "./events.ts";
export { Assertion, Code, type Proof, proof, SessionRequired } from "./factor.ts";
export { type MfaUser, emitToWorkspaces, requireSession } from "./mfa-user.ts";
export {
  checkPasskey,
  type CheckedPasskey,
  insertPasskeyChallenge,
  type PasskeyOptions,
  passkeyOptions,
} from "./passkey.ts";
export {
  assertionOptions,
  checkSecondFactor,
  type MfaRequirement,
  buildMfaRequirement,
  listMethods,
  type SecondFactor,
} from "./second-factor.ts";

export const mfa = domain({
  name: "mfa",
  summary: "Second factors: TOTP, WebAuthn, recovery codes, and their enforcement.",
  environmentScoped: false,
  permissions: [SecurityWrite],
  events: Object.values(events),
  operations: Object.values(operations),
  contributions: [
    contribute(AccountCredentialPoint, {
      kind: "second_factors",
      scope: "account",
      revoke: ({ tx }, userId) => deleteFactors(tx, userId),
    }),
  ],
  jobs: [challengeRetentionJob],
});
