/** A test login: what a provider answered, and what a login with that answer would do. It makes no session. */
import Type, { type Static } from "typebox";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { REASONS } from "../login/failure.ts";

const TrialError = Type.Object({
  code: Type.Enum([...REASONS]),
  message: Type.String({ description: "What is wrong, and where to mend it" }),
  detail: Type.String({ description: "What was found, for whoever runs the identity provider" }),
});

/** The result of the last test login, of the configuration as it is now. */
export const Trial = Type.Object(
  {
    at: Time,
    startedBy: Type.String(),
    succeeded: Type.Boolean(),
    claims: nullable(
      Type.Object({
        email: Type.String(),
        name: Type.String(),
        subject: nullable(
          Type.String({ description: "The provider's permanent id of the person" }),
        ),
        roles: Type.Array(Type.String(), { description: "As the provider names them" }),
      }),
    ),
    account: nullable(
      Type.Object({
        kind: Type.Enum(["member", "new"], { description: "Whether such a member exists already" }),
        userId: nullable(Type.String()),
        name: Type.String(),
        roles: Type.Array(Type.String(), {
          description: "Names or ids of the roles it has or would get",
        }),
        isOwn: Type.Boolean({ description: "Whether it is that of whoever tested" }),
      }),
    ),
    errors: Type.Array(TrialError),
  },
  { title: "SsoTrial" },
);
export type Trial = Static<typeof Trial>;
