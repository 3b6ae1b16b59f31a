import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";

const UserEventData = Type.Object({ userId: id("usr"), address: Type.String() });
const KeyEventData = Type.Object({
  ...UserEventData.properties,
  credentialId: id("wac"),
  name: Type.String(),
});
const EnforcementEventData = Type.Object({ enforced: Type.Boolean() });

const aboutUser = (summary: string) => ({ resource: "user", summary, data: UserEventData });
const aboutKey = (summary: string) => ({ resource: "user", summary, data: KeyEventData });
const aboutWorkspace = (summary: string) => ({
  resource: "workspace",
  summary,
  data: EnforcementEventData,
});

export const TotpBegun = event(
  "audit.mfa.totp_begun",
  aboutUser("Somebody asked for a TOTP secret; it counts once a code of it is shown."),
);
export const TotpEnrolled = event(
  "audit.mfa.totp_enrolled",
  aboutUser("Somebody enrolled TOTP as a second factor, with new recovery codes."),
);
export const TotpRemoved = event(
  "audit.mfa.totp_removed",
  aboutUser("Somebody removed TOTP from their second factors."),
);

export const WebauthnBegun = event(
  "audit.mfa.webauthn_begun",
  aboutUser("Somebody began to register a WebAuthn credential."),
);
export const WebauthnRegistered = event(
  "audit.mfa.webauthn_registered",
  aboutKey("Somebody registered a WebAuthn credential as a second factor."),
);
export const WebauthnRemoved = event(
  "audit.mfa.webauthn_removed",
  aboutKey("Somebody removed a WebAuthn credential from their second factors."),
);

export const RecoveryCodesRenewed = event(
  "audit.mfa.recovery_codes_renewed",
  aboutUser("Somebody made new recovery codes; the old ones no longer work."),
);
export const RecoveryCodeUsed = event(
  "audit.mfa.recovery_code_used",
  aboutUser("A recovery code stood in for the second factor, and is used up."),
);

export const MfaChallenged = event(
  "audit.mfa.challenged",
  aboutUser("A password was right, and the second factor was asked for."),
);
export const MfaFailed = event(
  "audit.mfa.failed",
  aboutUser("A second factor was wrong, or was used before."),
);

export const MfaEnforced = event(
  "audit.mfa.enforced",
  aboutWorkspace("The workspace began to demand a second factor of its members."),
);
export const MfaUnenforced = event(
  "audit.mfa.unenforced",
  aboutWorkspace("The workspace no longer demands a second factor."),
);
