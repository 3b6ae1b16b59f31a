import Type from "typebox";
import { CredentialsRevoked, EmailVerified } from "#domains/identity/accounts/index.ts";
import { event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";

export const ResetRequested = event("audit.auth.password_reset_requested", {
  resource: "user",
  summary: "A link to reset a password was requested.",
  data: Type.Object({ email: Type.String(), address: Type.String() }),
});

export const PasswordRefused = event("audit.auth.password_refused", {
  resource: "user",
  summary: "A password change failed: the current password was wrong, or the link was invalid.",
  data: Type.Object({
    reason: Type.Enum(["wrong_password", "bad_link"]),
    address: Type.String(),
    userId: Type.Optional(id("usr")),
  }),
});

export const PasswordChanged = event("audit.auth.password_changed", {
  resource: "user",
  summary: "A user set a new password. Their other sessions were revoked.",
  data: Type.Object({ userId: id("usr"), by: Type.Enum(["password", "link"]) }),
});

/** All events that a password link may emit, in the API and on the page. */
export const RESET_EVENTS = [
  CredentialsRevoked,
  EmailVerified,
  PasswordChanged,
  PasswordRefused,
] as const;
