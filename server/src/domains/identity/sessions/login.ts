import Type from "typebox";
import { MemberOf, User } from "#domains/identity/accounts/index.ts";
import { failure } from "#kernel/failure.ts";
import { Time } from "#kernel/schema.ts";

export const Session = Type.Object(
  {
    token: Type.String({ description: "Send it as `Authorization: Bearer …`" }),
    tokenType: Type.Literal("Bearer"),
    expiresAt: Time,
    user: User,
    workspaces: Type.Array(MemberOf),
  },
  { title: "Session" },
);

/** The same for a wrong e-mail and a wrong password: neither may tell who has an account. */
export const BadLogin = failure("bad_login", 401, "The e-mail address or the password is wrong.");
