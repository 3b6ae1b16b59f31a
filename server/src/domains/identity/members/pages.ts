import Type from "typebox";
import { Password } from "#domains/identity/accounts/index.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { document, markup } from "#kernel/html/markup.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { object, text } from "#kernel/schema/schema.ts";
import { ACCEPT_CONTRACT } from "./invitation-operations.ts";
import { joinWorkspace, prepareAcceptance } from "./invitation-service.ts";

const Token = Type.String({ minLength: 1, maxLength: 200 });

/** The page that an invitation's link opens. */
export const invitationPage = query({
  id: "invitations.page",
  route: "GET /invitations",
  summary: "Show the form to accept an invitation",
  access: "public",
  query: object({ token: Token }),
  response: html(htmlErrorRendering),
  example: { query: { token: "mri_…" } },
  run: async (_ctx, { query: { token } }) =>
    document({
      title: "Accept your invitation",
      body: markup`<h1>Accept your invitation</h1>
<form method="post" action="/invitations">
<input type="hidden" name="token" value="${token}">
<label for="name">Your name</label>
<input id="name" name="name" autocomplete="name" maxlength="100">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="8" maxlength="200" aria-describedby="rule">
<p id="rule">At least 8 characters. If you have an account already, give its password.</p>
<button>Accept</button>
</form>`,
    }),
});

export const invitationForm = command({
  id: "invitations.form",
  route: "POST /invitations",
  summary: "Accept an invitation from the form",
  access: "public",
  acceptsForm: true,
  body: object({ token: Token, name: Type.Optional(text(100)), password: Password }),
  response: html(htmlErrorRendering),
  ...ACCEPT_CONTRACT,
  example: { body: { token: "mri_…", name: "Ada", password: "correct horse battery staple" } },
  prepare: (platform, { body }, caller) => prepareAcceptance(platform, body, caller),
  async run(ctx, { body: { name } }, acceptance) {
    const user = await joinWorkspace(ctx, name === "" ? undefined : name, acceptance);
    if (user instanceof Failure) return user;
    return document({
      title: "Welcome",
      body: markup`<h1>Welcome, ${user.name}</h1><p>Your account ${user.email} is ready. You can log in now.</p>`,
    });
  },
});
