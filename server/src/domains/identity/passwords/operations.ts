import Type from "typebox";
import {
  Email,
  Password,
  WrongPassword,
  toAccountEmail,
} from "#domains/identity/accounts/index.ts";
import { Forbidden, RateLimited } from "#kernel/operation/failure.ts";
import { MailNotConfigured } from "#kernel/mail/mailer.ts";
import { command } from "#kernel/operation/operation.ts";
import { accepted, noContent, item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { PasswordChanged, PasswordRefused, RESET_EVENTS, ResetRequested } from "./events.ts";
import * as service from "./service.ts";

const Accepted = Type.Object({ accepted: Type.Literal(true) });

export const forgotPassword = command({
  id: "passwords.forgot",
  route: "POST /api/v1/auth/password/forgot",
  summary: "Request a password reset link",
  description:
    "The response is the same whether the account exists or not. Without a mail server, an operator sets a password with `npm run millrace -- reset-password <email>`.",
  access: "public",
  body: object({ email: Email }),
  response: accepted(Accepted),
  emits: [ResetRequested],
  fails: [MailNotConfigured, RateLimited],
  example: { body: { email: "ada@example.com" } },
  prepare: (platform, { body }, caller) =>
    service.prepareResetRequest(platform, toAccountEmail(body.email), caller),
  run: (ctx, { body }, request) => service.createReset(ctx, toAccountEmail(body.email), request),
});

export const resetPassword = command({
  id: "passwords.reset",
  route: "POST /api/v1/auth/password/reset",
  summary: "Reset a password with the token of the link",
  description:
    "The link works once and for one hour. All sessions of the account are revoked. The first link from an e-mail also verifies the address: then earlier tokens, consents and second factors are revoked too.",
  access: "public",
  body: object({ token: Type.String({ minLength: 1, maxLength: 200 }), password: Password }),
  response: item(Accepted),
  emits: RESET_EVENTS,
  fails: [service.BadReset, RateLimited],
  example: { body: { token: "mrp_…", password: "correct horse battery staple" } },
  prepare: (platform, { body }, caller) => service.prepareReset(platform, body, caller),
  run: (ctx, { body }, prepared) => service.resetWithLink(ctx, body.token, prepared),
});

export const changePassword = command({
  id: "passwords.change",
  route: "POST /api/v1/auth/password",
  summary: "Change your own password",
  description: "Your other sessions are revoked.",
  access: "account",
  allowBeforeEnrolment: true,
  body: object({
    currentPassword: Type.String({ minLength: 1, maxLength: 200 }),
    newPassword: Password,
  }),
  issuesCredential: true,
  response: noContent(),
  emits: [PasswordChanged, PasswordRefused],
  fails: [WrongPassword, Forbidden, RateLimited],
  example: { body: { currentPassword: "the old one", newPassword: "correct horse battery" } },
  prepare: (platform, { body }, caller) => service.prepareChange(platform, body, caller),
  run: (ctx, _input, passwordHash) => service.changeOwnPassword(ctx, passwordHash),
});
