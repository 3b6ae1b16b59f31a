import { contribute } from "#kernel/extension-point.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { CredentialSourcePoint } from "#kernel/access/authenticator.ts";
import { domain } from "#kernel/domain.ts";
import { LoggedIn, LoggedOut, LoginFailed, PasswordReset } from "./events.ts";
import {
  addressRetentionJob,
  deleteKnownAddresses,
  deleteSessions,
  sessionRetentionJob,
} from "./store.ts";
import { login, logout, me } from "./operations.ts";
import { sessionTokens } from "./session.ts";

export { LOGIN_EVENTS, LoggedIn, LoginFailed, PasswordReset } from "./events.ts";
export { loginDocument, type LoginForm } from "./login-page.ts";
export { BadLogin, BadSecondFactor, MfaRequired } from "./login.ts";
export { loginFields } from "./login-page.ts";
export { LoggedOut } from "./events.ts";
export {
  endSession,
  startSession,
  checkLogin,
  type LoginAttempt,
  createSession,
} from "./service.ts";
export { deleteSessions } from "./store.ts";
export { throttleAccount, throttleAddress } from "./throttle.ts";
export { buildSessionCookie } from "./session.ts";

export const sessions = domain({
  name: "sessions",
  summary: "Logging in and out, and who is asking.",
  environmentScoped: false,
  permissions: [],
  events: [LoggedIn, LoginFailed, LoggedOut, PasswordReset],
  operations: [login, me, logout],
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
