import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, Time } from "#kernel/schema/schema.ts";
import { Email } from "../accounts/index.ts";
import { RoleId } from "../roles/index.ts";

/** The fields of an invitation in lists and events: all but its token. */
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

const MAILED = "absent where a mail server takes it to the invited person";

/** With its token, returned once and only where nobody but the sender can hand it on. */
export const NewInvitation = Type.Object(
  {
    ...invitationFields,
    mailed: Type.Boolean({ description: "The link was mailed to the invited person" }),
    token: Type.Optional(Type.String({ description: `Shown only now; it works once; ${MAILED}` })),
    url: Type.Optional(
      Type.String({ description: `The page on which the invited person accepts; ${MAILED}` }),
    ),
  },
  { title: "NewInvitation" },
);

export const AlreadyMember = failure(
  "already_member",
  409,
  "This person is a member already.",
  "memberships_pkey",
);
/** Two invitations to one new address, accepted in two workspaces at the same moment. */
export const AccountJustMade = failure(
  "account_just_made",
  409,
  "An account with this address was made a moment ago; accept once more, with its password.",
  "users_email",
);
export const BadInvitation = failure(
  "bad_invitation",
  410,
  "The invitation is not valid, has been used, withdrawn or has run out.",
);
export const AccountWithoutPassword = failure(
  "account_without_password",
  409,
  "An account with this address exists and has no password, since it signs in by single sign-on. Set " +
    "one by a link for a forgotten password, and accept with it.",
);

export const UsersRead = permission("users:read", "See the members of the workspace", [
  "builder",
  "agent",
  "change_manager",
  "auditor",
]);
export const UsersWrite = permission("users:write", "Invite, change and remove members", []);
