import { SearchSourcePoint, searchTable } from "#kernel/contributions/search-source.ts";
import { AccountCredentialPoint } from "#kernel/contributions/account-credential.ts";
import { NotificationRulePoint } from "#kernel/contributions/notification-rule.ts";
import {
  AutomationsStopped,
  stoppedAutomationReader,
  stoppedNotification,
} from "./stopped-automations.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import {
  InvitationRefused,
  InvitationRevoked,
  UserDeactivated,
  UserInvited,
  UserUpdated,
} from "./events.ts";
import {
  acceptInvitation,
  inviteUser,
  listInvitations,
  revokeInvitation,
} from "./invitation-operations.ts";
import { invitationRetentionJob } from "./invitation-service.ts";
import { removeSentBy } from "./invitation-store.ts";
import { getUser, listUsers, removeUser, updateUser } from "./operations.ts";
import { listMemberAccess, listMemberSessions, revokeMemberSessions } from "./access.ts";
import { updateMe } from "./profile.ts";
import { invitationForm, invitationPage } from "./pages.ts";
import { UsersRead, UsersWrite } from "./invitation.ts";

export { UsersWrite } from "./invitation.ts";
export { assertMayManage } from "./service.ts";

export const members = domain({
  name: "members",
  summary: "Members and invitations.",
  environmentScoped: false,
  permissions: [UsersRead, UsersWrite],
  events: [
    UserInvited,
    InvitationRevoked,
    InvitationRefused,
    UserDeactivated,
    UserUpdated,
    AutomationsStopped,
  ],
  operations: [
    listUsers,
    getUser,
    inviteUser,
    listInvitations,
    revokeInvitation,
    acceptInvitation,
    invitationPage,
    invitationForm,
    updateUser,
    removeUser,
    updateMe,
    listMemberAccess,
    listMemberSessions,
    revokeMemberSessions,
  ],
  contributions: [
    contribute(SearchSourcePoint, {
      kind: "person",
      permission: UsersRead,
      search: searchTable({
        table: "memberships m join users u on u.id = m.user_id",
        id: "u.id",
        title: "u.name",
        detail: "u.email",
        also: ["u.email"],
        where: "m.status = 'active'",
        order: "u.name",
        indexed: "person",
      }),
    }),
    contribute(AccountCredentialPoint, {
      kind: "invitations",
      scope: "workspace",
      revoke: async ({ tx }, userId) => (await removeSentBy(tx, userId)).length,
    }),
    contribute(NotificationRulePoint, stoppedNotification),
  ],
  readers: [stoppedAutomationReader],
  jobs: [invitationRetentionJob],
});
