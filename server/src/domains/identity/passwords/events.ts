import Type from "typebox";
import { CredentialsRevoked, EmailVerified } from "#domains/identity/accounts/index.ts";
import { event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";

export const ResetRequested = event("audit.auth.password_reset_requested", {
  resource: "user",
  summary: "Somebody asked for a link to set a new password.",
  data: Type.Object({ email: Type.String(), address: Type.String() }),
});

export const PasswordRefused = event("audit.auth.password_refused", {
  resource: "user",
  summary: "A new password was not set: the present one was wrong, or the link no good.",
  data: Type.Object({
    reason: Type.Enum(["wrong_password", "bad_link"]),
    address: Type.String(),
    userId: Type.Optional(id("usr")),
  }),
});

export const PasswordChanged = event("audit.auth.password_changed", {
  resource: "user",
  summary: "A person set a new password; their other sessions ended.",
  data: Type.Object({ userId: id("usr"), by: Type.Enum(["password", "link"]) }),
});

/** Every event that a link for a new password may emit, in the API and on the page. */
export const RESET_EVENTS = [
  CredentialsRevoked,
  EmailVerified,
  PasswordChanged,
  PasswordRefused,
] as const;
