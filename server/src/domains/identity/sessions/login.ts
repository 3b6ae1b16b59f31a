import Type from "typebox";
import { MemberOf, User } from "#domains/identity/accounts/index.ts";
import { failure } from "#kernel/operation/failure.ts";
import { Time } from "#kernel/schema/schema.ts";

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

export const BadPasskey = failure(
  "bad_passkey",
  401,
  "The passkey is unknown, the response came too late, or the user was not verified.",
);

/** One error for an unknown e-mail and a wrong password, so that it does not reveal which accounts exist. */
export const BadLogin = failure("bad_login", 401, "The e-mail address or the password is wrong.");

export const MfaRequired = failure(
  "mfa_required",
  401,
  "The password is correct. A second factor is also required, as `code` or `assertion`.",
);
export const BadSecondFactor = failure(
  "bad_second_factor",
  401,
  "The second factor is wrong or already used.",
);
