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
  summary: "Invite somebody to the workspace",
  description:
    "The link is mailed to the address, and works once and for seven days. Without a mail server the answer " +
    "has it, as `token` and `url`, to be handed over. A second invitation to the same address ends the " +
    "first. Without `roleIds` the person becomes a `member`. It ends with your membership, and is worth " +
    "nothing while you may not grant its roles.",
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
    "Makes the account with this password; somebody who has one gives its password and joins. A link that " +
    "was mailed also verifies the address. An account of that address which nobody had verified becomes its " +
    "reader's: unless they gave its password, the new one is set, and whatever opened it before ends.",
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
  summary: "List the open invitations",
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
  summary: "Withdraw an invitation",
  permission: UsersWrite,
  params: object({ id: id("inv") }),
  response: noContent(),
  emits: [InvitationRevoked],
  example: { params: { id: "inv_01jd0000000000000000000000" } },
  run: (ctx, { params }) => service.removeInvitation(ctx, params.id),
});
