import { domain } from "#kernel/domain.ts";
import { LoggedIn, LoggedOut, LoginFailed } from "./events.ts";
import { pruneSessions } from "./jobs.ts";
import { login, logout, me } from "./operations.ts";
import { sessionTokens } from "./session.ts";

export { LoggedIn, LoginFailed } from "./events.ts";
export { BadLogin } from "./login.ts";
export { beginSession, examine, type LoginAttempt, logIn } from "./service.ts";
export { cookieOf } from "./session.ts";

export const sessions = domain({
  name: "sessions",
  summary: "Logging in and out, and who is asking.",
  permissions: [],
  events: [LoggedIn, LoginFailed, LoggedOut],
  operations: [login, me, logout],
  credentials: [sessionTokens],
  jobs: [pruneSessions],
});
