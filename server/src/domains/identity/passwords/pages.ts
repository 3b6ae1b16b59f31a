import Type from "typebox";
import { Password } from "#domains/identity/accounts/index.ts";
import { buildLinkErrorRendering } from "#kernel/html/error-page.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";
import { document, markup } from "#kernel/html/markup.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { RESET_EVENTS } from "./events.ts";
import { BadReset, prepareReset, resetWithLink } from "./service.ts";

const Token = Type.String({ minLength: 1, maxLength: 200 });

const resetErrorRendering = buildLinkErrorRendering({
  advice: "To get a new link, select “Forgot your password?” on the sign-in page.",
  label: "Go to sign in",
  path: "login",
});

/** The page that the link in the e-mail opens. */
export const resetPage = query({
  id: "passwords.reset_page",
  route: "GET /password",
  summary: "Show the form to set a new password",
  access: "public",
  query: object({ token: Token }),
  response: html(resetErrorRendering),
  example: { query: { token: "mrp_…" } },
  run: async (_ctx, { query: { token } }) =>
    document({
      title: "Set a new password",
      body: markup`<h1>Set a new password</h1>
<form method="post" action="password">
<input type="hidden" name="token" value="${token}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="8" maxlength="200" aria-describedby="rule">
<p id="rule">At least 8 characters. Your other sessions will end.</p>
<button>Set password</button>
</form>`,
    }),
});

export const resetForm = command({
  id: "passwords.reset_form",
  route: "POST /password",
  summary: "Set a new password from the form",
  access: "public",
  acceptsForm: true,
  body: object({ token: Token, password: Password }),
  response: html(resetErrorRendering),
  emits: RESET_EVENTS,
  fails: [BadReset, RateLimited],
  example: { body: { token: "mrp_…", password: "correct horse battery staple" } },
  prepare: (platform, { body }, caller) => prepareReset(platform, body, caller),
  async run(ctx, { body }, prepared) {
    const result = await resetWithLink(ctx, body.token, prepared);
    if (result instanceof Failure) return result;
    return document({
      title: "Password set",
      body: markup`<h1>Your password is set</h1><p><a href="${new URL(ctx.caller.origin).pathname.replace(/\/*$/, "/login")}">Sign in</a> with it now.</p>`,
    });
  },
});
