/** Where somebody logs in who opened an app, and how they come back to it. */
import Type from "typebox";
import {
  BadLogin,
  BadSecondFactor,
  buildSessionCookie,
  checkLogin,
  LOGIN_EVENTS,
  createSession,
  loginDocument,
  MfaRequired,
} from "#domains/identity/sessions/index.ts";
import { SsoRequired } from "#domains/identity/sso/enforcement/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { FailureWithPage, htmlErrorRendering } from "#kernel/html/error-page.ts";
import { Failure, invalidField, RateLimited } from "#kernel/operation/failure.ts";
import { toLocalRedirect } from "#kernel/access/local-redirect.ts";
import { type HtmlDocument, markup } from "#kernel/html/markup.ts";
import { command } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { prefixOf } from "./address.ts";

/** Where somebody is to come back to, and how they may log in there. */
export interface Way {
  readonly origin: string;
  /** A path of ours. */
  readonly returnTo: string;
  readonly singleSignOn: string | undefined;
}

const SINGLE_SIGN_ON = `
  select w.slug from workspaces w join sso_configurations s on s.workspace_id = w.key where w.slug = $1`;

/** Before any workspace is known, so as the system. */
export async function wayOf({ db }: Platform, origin: string, returnTo: string): Promise<Way> {
  const prefix = prefixOf(origin);
  const [, slug = ""] = /^\/apps\/([a-z0-9-]+)/.exec(returnTo.slice(prefix.length)) ?? [];
  const [found] = await db.system<{ slug: string }>(SINGLE_SIGN_ON, [slug]);
  return { origin, returnTo, singleSignOn: found && `${prefix}/sso/${found.slug}/login` };
}

/** Asks who it is; nothing is told of the app, nor whether there is one. */
export function loginPage(
  { origin, returnTo, singleSignOn }: Way,
  attempt: { readonly email?: string; readonly failure?: Failure } = {},
): HtmlDocument {
  return loginDocument({
    reason: markup`To open this app, say who you are.`,
    action: `${prefixOf(origin)}/apps/_login`,
    hidden: { name: "returnTo", value: returnTo },
    returnTo,
    singleSignOn,
    ...attempt,
  });
}

export const loginToApp = command({
  id: "apps.login",
  route: "POST /apps/_login",
  summary: "Take the answer of the login page, and go back to the app",
  access: "visitor",
  acceptsForm: true,
  body: object({
    returnTo: Type.String({ maxLength: 4_000, description: "The path of the app" }),
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 200 }),
    code: Type.Optional(Type.String({ maxLength: 40 })),
  }),
  response: html(htmlErrorRendering),
  emits: LOGIN_EVENTS,
  fails: [BadLogin, MfaRequired, BadSecondFactor, SsoRequired, RateLimited],
  example: {
    body: {
      returnTo: "/apps/default/orders",
      email: "admin@example.com",
      password: "correct horse battery staple",
    },
  },
  async prepare(platform, { body }, caller) {
    const way = await wayOf(platform, caller.origin, appPath(body.returnTo, caller.origin));
    const { email, password, code } = body;
    try {
      const attempt = await checkLogin(
        platform,
        { email, password, ...(code && { code }) },
        caller,
      );
      return { way, attempt };
    } catch (error) {
      throw again(way, email, error);
    }
  },
  async run(ctx, { body: { email } }, { way, attempt }) {
    const session = await createSession(ctx, email.toLowerCase(), attempt);
    // A failure of this kind is recorded and answered, with the form to fill in once more.
    if (session instanceof Failure) return again(way, email, session);
    return {
      goTo: way.returnTo,
      headers: { "set-cookie": buildSessionCookie(session, ctx.services.settings) },
    };
  },
});

/** The login page with what went wrong; what is no failure of the login goes on as it is. */
function again(way: Way, email: string, failure: unknown): Failure {
  if (!(failure instanceof Failure)) throw failure;
  return new FailureWithPage(failure, loginPage(way, { email, failure }));
}

/** A path of an app, so that nobody is led elsewhere by a form that begins here. */
function appPath(path: string, origin: string): string {
  const url = toLocalRedirect(path, origin);
  if (!url?.pathname.startsWith(`${prefixOf(origin)}/apps/`)) {
    throw invalidField("/returnTo", "must be the path of an app");
  }
  return url.pathname + url.search;
}
