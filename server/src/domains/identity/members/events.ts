import Type, { type Static } from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";
import { Email, UserActivated } from "../accounts/index.ts";
import { RoleId } from "../roles/index.ts";
import { Invitation } from "./invitation.ts";

export const Member = Type.Object(
  {
    id: id("usr"),
    email: Email,
    name: line(100),
    status: Type.Enum(["active", "deactivated"]),
    roles: Type.Array(RoleId),
    // Events of earlier versions do not have it.
    managerId: Type.Optional(nullable(id("usr", "Manager of the member"))),
    createdAt: Time,
  },
  { title: "Member" },
);
export type Member = Static<typeof Member>;

export const SharedAccount = failure(
  "shared_account",
  409,
  "The user is a member of other workspaces too, so only they can change their name.",
);

export const UserInvited = event("user.invited", {
  resource: "user",
  summary: "A person was invited to the workspace.",
  data: Invitation,
});
export const InvitationRevoked = event("user.invitation_revoked", {
  resource: "user",
  summary: "An invitation was revoked, or ended because its sender left.",
  data: Invitation,
});
export const InvitationRefused = event("audit.auth.invitation_refused", {
  resource: "user",
  summary: "A person failed to accept an invitation.",
  data: Type.Object({
    reason: Type.Enum(["bad_link", "sender_lacks_right", "account_without_password"]),
    address: Type.String(),
    email: Type.Optional(Type.String()),
  }),
});
export const UserDeactivated = event("user.deactivated", {
  resource: "user",
  summary: "A user is no longer an active member of the workspace.",
  data: Member,
});
export const UserUpdated = changeEvent("user.updated", {
  resource: "user",
  summary: "The data of a member was changed.",
  data: Member,
});
export { UserActivated };
