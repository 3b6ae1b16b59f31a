import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, Time } from "#kernel/schema/schema.ts";
import { Email } from "../accounts/index.ts";
import { RoleId } from "../roles/index.ts";

/** The fields of an invitation in lists and events, without its token. */
const invitationFields = {
  id: id("inv"),
  email: Email,
  name: Type.String(),
  roleIds: Type.Array(RoleId),
  invitedBy: id("usr"),
  createdAt: Time,
  expiresAt: Time,
};
export const Invitation = Type.Object(invitationFields, { title: "Invitation" });
export type Invitation = Static<typeof Invitation>;

const MAILED = "absent if the link was sent by e-mail";

/** With its token, which is returned only once, and only if it was not mailed. */
export const NewInvitation = Type.Object(
  {
    ...invitationFields,
    mailed: Type.Boolean({ description: "Whether the link was sent to the person by e-mail" }),
    token: Type.Optional(
      Type.String({ description: `Shown only in this response. Works once; ${MAILED}` }),
    ),
    url: Type.Optional(
      Type.String({ description: `URL of the page to accept the invitation; ${MAILED}` }),
    ),
  },
  { title: "NewInvitation" },
);

export const AlreadyMember = failure(
  "already_member",
  409,
  "This person is already a member.",
  "memberships_pkey",
);
/** Two concurrent invitations of two workspaces to one new address. */
export const AccountJustMade = failure(
  "account_just_made",
  409,
  "An account with this address was just created. Accept again with its password.",
  "users_email",
);
export const BadInvitation = failure(
  "bad_invitation",
  410,
  "The invitation is invalid, expired, used or revoked.",
);
export const AccountWithoutPassword = failure(
  "account_without_password",
  409,
  "An account with this address exists without a password, because it uses single sign-on. Set a password with the link for a forgotten password, then accept the invitation with it.",
);

export const UsersRead = permission("users:read", "View members of the workspace", [
  "builder",
  "agent",
  "change_manager",
  "auditor",
]);
export const UsersWrite = permission("users:write", "Invite, update and remove members", []);
