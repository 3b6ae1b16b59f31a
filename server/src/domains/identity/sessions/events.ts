import Type from "typebox";
import { MfaChallenged, MfaFailed, RecoveryCodeUsed } from "#domains/identity/mfa/index.ts";
import { event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";

const SessionRef = Type.Object({
  sessionId: id("ses"),
  userId: id("usr"),
  address: Type.String(),
  workspaceId: Type.Optional(
    id("ws", "The only workspace that the session is good for, whose identity provider let it in"),
  ),
});

export const LoggedIn = event("audit.auth.login", {
  resource: "session",
  summary: "Somebody logged in.",
  data: SessionRef,
});

export const LoginFailed = event("audit.auth.login_failed", {
  resource: "user",
  summary: "A login was refused; of one account at most ten a minute are recorded, per process.",
  data: Type.Object({ email: Type.String(), address: Type.String() }),
});

/** Every event that a password login may emit, in the API and on the pages. */
export const LOGIN_EVENTS = [
  LoggedIn,
  LoginFailed,
  MfaChallenged,
  MfaFailed,
  RecoveryCodeUsed,
] as const;

export const PasswordReset = event("audit.auth.password_reset", {
  resource: "user",
  summary: "An operator gave an account a new password; all its sessions ended.",
  data: Type.Object({ userId: id("usr"), email: Type.String() }),
});

export const LoggedOut = event("audit.auth.logout", {
  resource: "session",
  summary: "Somebody ended their session.",
  data: SessionRef,
});

export const SessionRevoked = event("audit.auth.session_revoked", {
  resource: "session",
  summary: "Somebody ended one of their sessions from another.",
  data: Type.Object({ sessionId: id("ses"), userId: id("usr") }),
});

export const SessionsRevoked = event("audit.auth.sessions_revoked", {
  resource: "user",
  summary: "Sessions of an account were ended, by its person or by those who administer it.",
  data: Type.Object({ userId: id("usr"), revoked: Type.Integer() }),
});
