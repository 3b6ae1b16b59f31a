import Type from "typebox";
import {
  CredentialsRevoked,
  Email,
  EmailVerified,
  Password,
  User,
  WrongPassword,
} from "#domains/identity/accounts/index.ts";
import { RoleId } from "#domains/identity/roles/index.ts";
import { LoginFailed } from "#domains/identity/sessions/index.ts";
import { Forbidden, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page } from "#kernel/operation/response.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { InvitationRefused, InvitationRevoked, UserActivated, UserInvited } from "./events.ts";
import {
  AccountWithoutPassword,
  AlreadyMember,
  AccountJustMade,
  BadInvitation,
  Invitation,
  NewInvitation,
} from "./invitation.ts";
import * as service from "./invitation-service.ts";
import { list } from "./invitation-store.ts";
import { UsersRead, UsersWrite } from "./invitation.ts";

const LIST = "invitations";

/** The events and failures of accepting an invitation, in the API and on the page. */
export const ACCEPT_CONTRACT = {
  emits: [UserActivated, EmailVerified, CredentialsRevoked, InvitationRefused, LoginFailed],
  fails: [
    AccountJustMade,
    BadInvitation,
    WrongPassword,
    AccountWithoutPassword,
    AlreadyMember,
    RateLimited,
  ],
} as const;

export const inviteUser = command({
  id: "users.invite",
  effect: "drastic",
  route: "POST /api/v1/settings/users/invite",
  summary: "Invite a person to the workspace",
  description:
    "Sends a link by e-mail, which works once and for seven days. Without a mail server, the response contains it as `token` and `url`. A new invitation to the same address revokes the previous one. Default for `roleIds`: `member`. The invitation ends when your membership ends, and is invalid while you can't assign its roles.",
  permission: UsersWrite,
  body: object({
    email: Email,
    name: Type.Optional(line(100)),
    roleIds: Type.Optional(Type.Array(RoleId, { maxItems: 20, uniqueItems: true })),
  }),
  response: created(NewInvitation, {
    location: (invitation) => `/api/v1/settings/users/invitations/${invitation.id}`,
  }),
  emits: [UserInvited],
  fails: [AlreadyMember, Forbidden, RateLimited],
  example: { body: { email: "ada@example.com", name: "Ada", roleIds: ["agent"] } },
  run: (ctx, { body }) => service.createInvitation(ctx, body),
});

export const acceptInvitation = command({
  id: "invitations.accept",
  route: "POST /api/v1/auth/invitations/accept",
  summary: "Accept an invitation",
  description:
    "Creates an account with this password. If the account exists, enter its password to join. A link from an e-mail also verifies the address. If the address of an existing account was never verified, the account goes to the person with the link: unless they entered its password, the new password is set, and all previous credentials are revoked.",
  access: "public",
  body: object({
    token: Type.String({ minLength: 1, maxLength: 200 }),
    name: Type.Optional(line(100)),
    password: Password,
  }),
  response: item(User),
  ...ACCEPT_CONTRACT,
  example: { body: { token: "mri_…", name: "Ada", password: "correct horse battery staple" } },
  prepare: (platform, { body }, caller) => service.prepareAcceptance(platform, body, caller),
  run: (ctx, { body }, acceptance) => service.joinWorkspace(ctx, body.name, acceptance),
});

export const listInvitations = query({
  id: "invitations.list",
  route: "GET /api/v1/settings/users/invitations",
  summary: "List open invitations",
  permission: UsersRead,
  query: object(pageQuery),
  response: page(Invitation),
  async run({ tx, now, services }, { query: { limit, after } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    return toPage(
      await list(tx, now, { after: String(start), limit: limit + 1 }),
      limit,
      (row) => row,
      (row) => services.cursors.encode(LIST, [row.id]),
    );
  },
});

export const revokeInvitation = command({
  id: "invitations.revoke",
  route: "DELETE /api/v1/settings/users/invitations/{id}",
  summary: "Revoke an invitation",
  permission: UsersWrite,
  params: object({ id: id("inv") }),
  response: noContent(),
  emits: [InvitationRevoked],
  example: { params: { id: "inv_01jd0000000000000000000000" } },
  run: (ctx, { params }) => service.removeInvitation(ctx, params.id),
});
