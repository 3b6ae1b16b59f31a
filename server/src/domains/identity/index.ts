import { domain } from "#kernel/domain.ts";
import { LoggedIn, LoggedOut, LoginFailed, UserActivated } from "./events.ts";
import { pruneSessions } from "./jobs.ts";
import { listPermissions, login, logout, me } from "./operations.ts";
import { Profile, RolesRead } from "./permissions.ts";
import { sessionTokens } from "./session.ts";
import { countMembers } from "./store.ts";

export { UserActivated } from "./events.ts";
export { hashPassword } from "./password.ts";
export { addMember } from "./service.ts";
export { insertUser } from "./store.ts";

export const identity = domain({
  name: "identity",
  summary: "Who is asking, and what they may do.",
  permissions: [Profile, RolesRead],
  events: [LoggedIn, LoginFailed, LoggedOut, UserActivated],
  operations: [login, me, logout, listPermissions],
  credentials: [sessionTokens],
  jobs: [pruneSessions],
  counters: [{ name: "members", count: countMembers }],
});
