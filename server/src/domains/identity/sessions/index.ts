import { contribute } from "#kernel/extension-point.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { CredentialSourcePoint } from "#kernel/access/authenticator.ts";
import { domain } from "#kernel/domain.ts";
import {
  LoggedIn,
  LoggedOut,
  LoginFailed,
  PasswordReset,
  SessionRevoked,
  SessionsRevoked,
} from "./events.ts";
import {
  addressRetentionJob,
  deleteKnownAddresses,
  deleteSessions,
  sessionRetentionJob,
} from "./store.ts";
import { login, logout, me } from "./operations.ts";
import { listSessions, revokeOtherSessions, revokeSession } from "./own-sessions.ts";
import { beginPasskeyLogin, passkeyLogin } from "./passkey-login.ts";
import { sessionTokens } from "./session.ts";

export { LOGIN_EVENTS, LoggedIn, LoginFailed, PasswordReset } from "./events.ts";
export { loginDocument, type LoginForm } from "./login-page.ts";
export { BadLogin, BadSecondFactor, MfaRequired } from "./login.ts";
export { loginFields } from "./login-page.ts";
export { LoggedOut, SessionsRevoked } from "./events.ts";
export {
  endSession,
  startSession,
  checkLogin,
  type LoginAttempt,
  createSession,
} from "./service.ts";
export { deleteConfinedSessions, deleteSessions, listOpen } from "./store.ts";
export { OpenSession } from "./own-sessions.ts";
export { throttleAccount, throttleAddress } from "./throttle.ts";
export { buildSessionCookie } from "./session.ts";

export const sessions = domain({
  name: "sessions",
  summary: "Sign-in, sign-out and sessions.",
  environmentScoped: false,
  permissions: [],
  events: [LoggedIn, LoginFailed, LoggedOut, PasswordReset, SessionRevoked, SessionsRevoked],
  operations: [
    login,
    beginPasskeyLogin,
    passkeyLogin,
    me,
    logout,
    listSessions,
    revokeSession,
    revokeOtherSessions,
  ],
  contributions: [
    contribute(CredentialSourcePoint, sessionTokens),
    contribute(AccountCredentialPoint, {
      kind: "sessions",
      scope: "account",
      async revoke({ tx }, userId) {
        await deleteKnownAddresses(tx, userId);
        return deleteSessions(tx, userId);
      },
    }),
  ],
  jobs: [sessionRetentionJob, addressRetentionJob],
});
