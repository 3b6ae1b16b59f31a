import Type from "typebox";
import { MfaChallenged, MfaFailed, RecoveryCodeUsed } from "#domains/identity/mfa/index.ts";
import { event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";

const SessionRef = Type.Object({
  sessionId: id("ses"),
  userId: id("usr"),
  address: Type.String(),
  workspaceId: Type.Optional(
    id("ws", "The only workspace of the session, if it was created by single sign-on"),
  ),
});

export const LoggedIn = event("audit.auth.login", {
  resource: "session",
  summary: "A user signed in.",
  data: SessionRef,
});

export const LoginFailed = event("audit.auth.login_failed", {
  resource: "user",
  summary: "A sign-in failed. At most ten events per account, minute and process are recorded.",
  data: Type.Object({ email: Type.String(), address: Type.String() }),
});

/** All events that a password login may emit, in the API and on the pages. */
export const LOGIN_EVENTS = [
  LoggedIn,
  LoginFailed,
  MfaChallenged,
  MfaFailed,
  RecoveryCodeUsed,
] as const;

export const PasswordReset = event("audit.auth.password_reset", {
  resource: "user",
  summary: "An operator set a new password for an account. All its sessions were revoked.",
  data: Type.Object({ userId: id("usr"), email: Type.String() }),
});

export const LoggedOut = event("audit.auth.logout", {
  resource: "session",
  summary: "A user signed out.",
  data: SessionRef,
});

export const SessionRevoked = event("audit.auth.session_revoked", {
  resource: "session",
  summary: "A user revoked another session of theirs.",
  data: Type.Object({ sessionId: id("ses"), userId: id("usr") }),
});

export const SessionsRevoked = event("audit.auth.sessions_revoked", {
  resource: "user",
  summary: "Sessions of an account were revoked by the user or an administrator.",
  data: Type.Object({ userId: id("usr"), revoked: Type.Integer() }),
});
