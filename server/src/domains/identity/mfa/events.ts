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
  aboutUser("The setup of TOTP was started. It is completed by entering a code."),
);
export const TotpEnrolled = event(
  "audit.mfa.totp_enrolled",
  aboutUser("TOTP was set up as a second factor, with new recovery codes."),
);
export const TotpRemoved = event(
  "audit.mfa.totp_removed",
  aboutUser("TOTP was removed from the second factors."),
);

export const WebauthnBegun = event(
  "audit.mfa.webauthn_begun",
  aboutUser("The registration of a WebAuthn credential was started."),
);
export const WebauthnRegistered = event(
  "audit.mfa.webauthn_registered",
  aboutKey("A WebAuthn credential was registered as a second factor."),
);
export const WebauthnRemoved = event(
  "audit.mfa.webauthn_removed",
  aboutKey("A WebAuthn credential was removed from the second factors."),
);

export const RecoveryCodesRenewed = event(
  "audit.mfa.recovery_codes_renewed",
  aboutUser("New recovery codes were created. The old ones no longer work."),
);
export const RecoveryCodeUsed = event(
  "audit.mfa.recovery_code_used",
  aboutUser("A recovery code was used as the second factor. It can't be used again."),
);

export const MfaChallenged = event(
  "audit.mfa.challenged",
  aboutUser("A password was correct, and the second factor was requested."),
);
export const MfaFailed = event(
  "audit.mfa.failed",
  aboutUser("A second factor was wrong or already used."),
);

export const MfaEnforced = event(
  "audit.mfa.enforced",
  aboutWorkspace("The workspace now requires a second factor."),
);
export const MfaUnenforced = event(
  "audit.mfa.unenforced",
  aboutWorkspace("The workspace no longer requires a second factor."),
);
