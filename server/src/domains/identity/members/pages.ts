import Type from "typebox";
import { Password } from "#domains/identity/accounts/index.ts";
import { buildLinkErrorRendering } from "#kernel/html/error-page.ts";
import { buildSessionCookie, LoggedIn, startSession } from "#domains/identity/sessions/index.ts";
import { isSsoEnforced } from "#domains/identity/sso/enforcement/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";
import { document, markup } from "#kernel/html/markup.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { object, text } from "#kernel/schema/schema.ts";
import { ACCEPT_CONTRACT } from "./invitation-operations.ts";
import { BadInvitation } from "./invitation.ts";
import type { OpenInvitation } from "./invitation-store.ts";
import { describeInvitation, joinWorkspace, prepareAcceptance } from "./invitation-service.ts";

const Token = Type.String({ minLength: 1, maxLength: 200 });

const invitationErrorRendering = buildLinkErrorRendering({
  advice: "Ask the person who invited you for a new invitation.",
  label: "Go to sign in",
  path: "login",
});

/** The page of an invitation link. */
export const invitationPage = query({
  id: "invitations.page",
  route: "GET /invitations",
  summary: "Show the form to accept an invitation",
  access: "public",
  query: object({ token: Token }),
  response: html(invitationErrorRendering),
  fails: [BadInvitation, RateLimited],
  example: { query: { token: "mri_…" } },
  prepare: (platform, { query: { token } }, caller) => describeInvitation(platform, token, caller),
  run: async (_ctx, { query: { token } }, { email, workspace, inviter, name }) =>
    document({
      title: "Accept your invitation",
      body: markup`<h1>Join ${workspace}</h1>
<p>${inviter} invites you, <strong>${email}</strong>, to the workspace ${workspace} in Millrace.</p>
<form method="post" action="invitations">
<input type="hidden" name="token" value="${token}">
<label for="name">Your name</label>
<input id="name" name="name" autocomplete="name" maxlength="100" value="${name}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="8" maxlength="200" aria-describedby="rule">
<p class="faint hint" id="rule">At least 8 characters. If you already have an account, enter its password.</p>
<button>Accept</button>
</form>`,
    }),
});

export const invitationForm = command({
  id: "invitations.form",
  route: "POST /invitations",
  summary: "Accept an invitation from the form, and go to the first page",
  description:
    "A new account is logged in if the workspace does not enforce single sign-on. An existing account must log in " +
    "as usual.",
  access: "visitor",
  acceptsForm: true,
  body: object({ token: Token, name: Type.Optional(text(100)), password: Password }),
  response: html(invitationErrorRendering),
  ...ACCEPT_CONTRACT,
  emits: [...ACCEPT_CONTRACT.emits, LoggedIn],
  example: { body: { token: "mri_…", name: "Ada", password: "correct horse battery staple" } },
  async prepare(platform, { body }, caller) {
    const acceptance = await prepareAcceptance(platform, body, caller);
    const mustUseSso = acceptance && (await isSsoEnforced(platform, acceptance.invitation));
    return { acceptance, mustUseSso };
  },
  async run(ctx, { body: { name } }, { acceptance, mustUseSso }) {
    const user = await joinWorkspace(ctx, name === "" ? undefined : name, acceptance);
    if (user instanceof Failure) return user;
    const goTo = acceptance ? firstPage(ctx.caller, acceptance.invitation) : rootOf(ctx.caller);
    // For an existing account, the password may not be enough: it may require a second factor or single sign-on.
    if (!acceptance || acceptance.account || mustUseSso) return { goTo };
    const session = await startSession(ctx, user, [acceptance.invitation]);
    const cookie = buildSessionCookie(session, ctx.services.settings);
    return { goTo, headers: { "set-cookie": cookie } };
  },
});

const rootOf = ({ origin }: Pick<Caller, "origin">): string =>
  new URL(origin).pathname.replace(/\/*$/, "/");

/** The portal for members with only requester rights, otherwise the console. */
function firstPage(
  caller: Pick<Caller, "origin">,
  { roleIds, slug }: Pick<OpenInvitation, "roleIds" | "slug">,
): string {
  const isRequester = roleIds.length > 0 && roleIds.every((role) => role === "requester");
  return isRequester ? `${rootOf(caller)}portal/${slug}` : rootOf(caller);
}
