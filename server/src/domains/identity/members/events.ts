import Type from "typebox";
import { UserActivated } from "#domains/identity/accounts/index.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { Invitation } from "./invitation.ts";
import { Member } from "./member.ts";

export const UserInvited = event("user.invited", {
  resource: "user",
  summary: "Somebody was invited to the workspace.",
  data: Invitation,
});
export const InvitationRevoked = event("user.invitation_revoked", {
  resource: "user",
  summary: "An invitation was withdrawn, or ended with its sender's membership.",
  data: Invitation,
});
export const InvitationRefused = event("audit.auth.invitation_refused", {
  resource: "user",
  summary: "Somebody could not accept an invitation.",
  data: Type.Object({
    reason: Type.Enum(["bad_link", "sender_lacks_right", "account_without_password"]),
    address: Type.String(),
    email: Type.Optional(Type.String()),
  }),
});
export const UserDeactivated = event("user.deactivated", {
  resource: "user",
  summary: "A person is no longer an active member of the workspace.",
  data: Member,
});
export const UserUpdated = changeEvent("user.updated", {
  resource: "user",
  summary: "A member's particulars were changed.",
  data: Member,
});
export { UserActivated };
