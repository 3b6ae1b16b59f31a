import { contribute } from "#kernel/extension-point.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { UserActivated } from "./user.ts";
import { countMembers } from "./store.ts";

export { UserActivated } from "./user.ts";
export {
  addMember,
  findMembersWithPermission,
  MfaEnrollmentRequired,
  resolvePermissions,
  readPrincipals,
  membershipIn,
  toMembership,
  toMemberOf,
  auditWorkspaces,
} from "./membership.ts";
export { checkPassword, hashPassword, WrongPassword } from "./password.ts";
export {
  getMember,
  listMembers,
  lockMember,
  lockOwners,
  type MemberRow,
  findMembersByIds,
  findMembersWithRoles,
  findMemberNames,
  removeMember,
  setRoles,
  setStatus,
} from "./members.ts";
export {
  findAccount,
  insertUser,
  type MembershipRow,
  listMemberships,
  renameUser,
  setPassword,
} from "./store.ts";
export { Email, MemberOf, Password, User } from "./user.ts";

export const accounts = domain({
  name: "accounts",
  summary: "The people, and the workspaces that they belong to.",
  environmentScoped: false,
  permissions: [],
  events: [UserActivated],
  operations: [],
  contributions: [contribute(UsageCounterPoint, { name: "members", count: countMembers })],
});
