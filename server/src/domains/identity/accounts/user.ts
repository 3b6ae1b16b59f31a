import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, line } from "#kernel/schema/schema.ts";

export const Email = Type.String({
  maxLength: 254,
  pattern: "^[^\\s@]{1,64}@[^\\s@]{1,190}$",
});

/** Only the length is prescribed, as NIST SP 800-63B recommends. */
export const Password = Type.String({ minLength: 8, maxLength: 200 });

export const User = Type.Object(
  {
    id: id("usr"),
    email: Email,
    name: line(100),
    status: Type.Enum(["invited", "active", "deactivated"]),
  },
  { title: "User" },
);
export type User = Static<typeof User>;

/** A workspace with the roles that the account has in it. */
export const MemberOf = Type.Object(
  {
    id: id("ws"),
    slug: Type.String(),
    name: Type.String(),
    roles: Type.Array(Type.String()),
  },
  { title: "MemberOf" },
);

export const UserActivated = event("user.activated", {
  resource: "user",
  summary: "A person became an active member of the workspace.",
  data: User,
});
