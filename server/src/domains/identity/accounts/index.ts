import { contribute } from "#kernel/extension-point.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { UsageCounterPoint } from "#kernel/contributions/usage-counter.ts";
import { domain } from "#kernel/domain.ts";
import { CredentialsRevoked, EmailVerified, UserActivated } from "./user.ts";
import { countMembers, removePassword } from "./store.ts";

export { CredentialsRevoked, EmailVerified, UserActivated } from "./user.ts";
export {
  addMember,
  findMembersWithPermission,
  MfaEnrollmentRequired,
  resolvePermissions,
  readRolePermissions,
  readPrincipals,
  findMembership,
  toMembership,
  toMemberOf,
  auditWorkspaces,
} from "./membership.ts";
export {
  activeMemberSql,
  assertBehind,
  type Authority,
  authorityOf,
  confineMember,
  findRights,
  intersectRights,
  NobodyBehind,
  readRights,
  requireRights,
  type Rights,
} from "./authority.ts";
export { findNamedMembers } from "./mentions.ts";
export { cheapenPasswords, checkPassword, hashPassword, WrongPassword } from "./password.ts";
export {
  countMembersByRoles,
  getMember,
  listMembers,
  lockMember,
  lockOwners,
  type MemberRow,
  findMembersByEmail,
  findMembersByIds,
  findManagers,
  findMembersWithRoles,
  findMemberNames,
  removeMember,
  setRoles,
  updateMembership,
} from "./members.ts";
export {
  findAccount,
  listReleasableUsers,
  type ManagedUser,
  insertUser,
  type MembershipRow,
  listMemberships,
  listWorkspaceKeys,
  lockPassword,
  needsStrongSignIn,
  releaseAccount,
  renameUser,
  setPassword,
} from "./store.ts";
export { Email, MemberOf, Password, toAccountEmail, User } from "./user.ts";
export {
  type Claim,
  revokeCredentials,
  revokeInWorkspace,
  verifyEmail,
  verifyHolder,
} from "./verification.ts";

export const accounts = domain({
  name: "accounts",
  summary: "User accounts and workspace memberships.",
  environmentScoped: false,
  permissions: [],
  events: [UserActivated, EmailVerified, CredentialsRevoked],
  operations: [],
  contributions: [
    contribute(UsageCounterPoint, { name: "members", count: countMembers }),
    contribute(AccountCredentialPoint, {
      kind: "passwords",
      scope: "account",
      revoke: ({ tx }, userId) => removePassword(tx, userId),
    }),
  ],
});
