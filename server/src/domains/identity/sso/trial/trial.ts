/** A test login: the provider's response, and what a login with it would do. It starts no session. */
import Type, { type Static } from "typebox";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { REASONS } from "../login/failure.ts";

const TrialError = Type.Object({
  code: Type.Enum([...REASONS]),
  message: Type.String({ description: "Problem and possible solution" }),
  detail: Type.String({ description: "Details for the administrator of the identity provider" }),
});

/** The result of the last test login of the current configuration. */
export const Trial = Type.Object(
  {
    at: Time,
    startedBy: Type.String(),
    succeeded: Type.Boolean(),
    claims: nullable(
      Type.Object({
        email: Type.String(),
        name: Type.String(),
        subject: nullable(Type.String({ description: "Permanent id of the user at the provider" })),
        roles: Type.Array(Type.String(), { description: "Name at the provider" }),
      }),
    ),
    account: nullable(
      Type.Object({
        kind: Type.Enum(["member", "new"], { description: "Whether the member already exists" }),
        userId: nullable(Type.String()),
        name: Type.String(),
        roles: Type.Array(Type.String(), {
          description: "Names or ids of the current or future roles",
        }),
        isOwn: Type.Boolean({ description: "Whether it is the user who ran the test" }),
      }),
    ),
    errors: Type.Array(TrialError),
  },
  { title: "SsoTrial" },
);
export type Trial = Static<typeof Trial>;
