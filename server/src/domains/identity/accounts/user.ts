import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { EMAIL_PATTERN, id, line } from "#kernel/schema/schema.ts";

export const Email = Type.String({
  maxLength: 254,
  pattern: EMAIL_PATTERN,
});

/** Only the length is restricted, as NIST SP 800-63B recommends. */
export const Password = Type.String({ minLength: 8, maxLength: 200 });

/**
 * Normalizes an address for storage and lookup. Uses NFC, because keyboards differ: one sends `á` as one character,
 * another as a letter and an accent.
 */
export const toAccountEmail = (email: string): string => email.normalize("NFC").toLowerCase();

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

/** A workspace with the account's roles in it. */
export const MemberOf = Type.Object(
  {
    id: id("ws"),
    slug: Type.String(),
    name: Type.String(),
    roles: Type.Array(Type.String()),
  },
  { title: "WorkspaceMembership" },
);

export const EmailVerified = event("audit.auth.email_verified", {
  resource: "user",
  summary: "The e-mail address of an account was verified.",
  data: Type.Object({
    userId: id("usr"),
    email: Type.String(),
    by: Type.Enum(["invitation", "reset"], { description: "The link from the e-mail" }),
  }),
});

export const CredentialsRevoked = event("audit.auth.credentials_revoked", {
  resource: "user",
  summary:
    "The credentials of an account were revoked: at the first verification of its address, or by an operator.",
  data: Type.Object({
    userId: id("usr"),
    reason: Type.Enum(["email_verified", "sso_login", "operator"]),
    revoked: Type.Record(Type.String(), Type.Integer(), {
      description: "Number of revoked passwords, sessions, second factors, tokens and others",
    }),
  }),
});

export const UserActivated = event("user.activated", {
  resource: "user",
  summary: "A user became an active member of the workspace.",
  data: User,
});
