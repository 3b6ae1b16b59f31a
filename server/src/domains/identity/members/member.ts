import Type, { type Static } from "typebox";
import { Email } from "#domains/identity/accounts/index.ts";
import { RoleId } from "#domains/identity/roles/index.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, Time } from "#kernel/schema/schema.ts";

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

export const SharedAccount = failure(
  "shared_account",
  409,
  "The person belongs to other workspaces too, so only they can change their name.",
);
