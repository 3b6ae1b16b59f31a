import Type, { type Static } from "typebox";
import { Email } from "#domains/identity/accounts/index.ts";
import { RoleId } from "#domains/identity/roles/index.ts";
import { failure } from "#kernel/failure.ts";
import { id, line, Time } from "#kernel/schema.ts";

export const Member = Type.Object(
  {
    id: id("usr"),
    email: Email,
    name: line(100),
    status: Type.Enum(["active", "deactivated"]),
    roles: Type.Array(RoleId),
    createdAt: Time,
  },
  { title: "Member" },
);
export type Member = Static<typeof Member>;

/** What the log and a list show of an invitation: everything but its token. */
export const invitationFields = {
  id: id("inv"),
  email: Email,
  name: Type.String(),
  roleIds: Type.Array(RoleId),
  expiresAt: Time,
};
export const Invitation = Type.Object(invitationFields, { title: "Invitation" });

/** As its maker gets it, once. */
export const NewInvitation = Type.Object(
  {
    ...invitationFields,
    token: Type.String({ description: "Shown only now; it works once" }),
    url: Type.String({ description: "The page on which the invited person accepts" }),
  },
  { title: "NewInvitation" },
);

export const AlreadyMember = failure("already_member", 409, "This person is a member already.");
export const BadInvitation = failure(
  "bad_invitation",
  410,
  "The invitation is not valid, has been used or has run out.",
);
export const WrongPassword = failure(
  "wrong_password",
  401,
  "An account with this address exists, and this is not its password.",
);
export const SharedAccount = failure(
  "shared_account",
  409,
  "The person belongs to other workspaces too, so only they can change their name.",
);
