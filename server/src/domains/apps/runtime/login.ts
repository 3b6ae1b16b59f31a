import { toAccountEmail } from "#domains/identity/accounts/index.ts";
/** The login page of apps, and the redirect back to the app. */
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

/** The app to return to after the login, and its single sign-on. */
export interface LoginReturn {
  readonly origin: string;
  /** A local path. */
  readonly returnTo: string;
  readonly singleSignOn: string | undefined;
}

const FIND_SSO = `
  select w.slug from workspaces w join sso_configurations s on s.workspace_id = w.key where w.slug = $1`;

/** Runs as the system: before the login no workspace is known. */
export async function findLoginReturn(
  { db }: Platform,
  origin: string,
  returnTo: string,
): Promise<LoginReturn> {
  const prefix = prefixOf(origin);
  const [, slug = ""] = /^\/apps\/([a-z0-9-]+)/.exec(returnTo.slice(prefix.length)) ?? [];
  const [sso] = await db.system<{ slug: string }>(FIND_SSO, [slug]);
  return { origin, returnTo, singleSignOn: sso && `${prefix}/sso/${sso.slug}/login` };
}

/** The login page; it does not disclose whether the app exists. */
export function loginPage(
  { origin, returnTo, singleSignOn }: LoginReturn,
  attempt: { readonly email?: string; readonly failure?: Failure } = {},
): HtmlDocument {
  return loginDocument({
    reason: returnTo.endsWith("/") ? markup`Log in to continue.` : markup`Log in to open this app.`,
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
  summary: "Submit the sign-in form of an app",
  access: "visitor",
  acceptsForm: true,
  body: object({
    returnTo: Type.String({ maxLength: 4_000, description: "Path of the app" }),
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
    const loginReturn = await findLoginReturn(
      platform,
      caller.origin,
      parseAppPath(body.returnTo, caller.origin),
    );
    const { email, password, code } = body;
    try {
      const attempt = await checkLogin(
        platform,
        { email, password, ...(code && { code }) },
        caller,
      );
      return { loginReturn, attempt };
    } catch (error) {
      throw renderLoginAgain(loginReturn, email, error);
    }
  },
  async run(ctx, { body: { email } }, { loginReturn, attempt }) {
    const session = await createSession(ctx, toAccountEmail(email), attempt);
    // Returned, not thrown, so that its event is committed; the page shows the form again.
    if (session instanceof Failure) return renderLoginAgain(loginReturn, email, session);
    return {
      goTo: loginReturn.returnTo,
      headers: { "set-cookie": buildSessionCookie(session, ctx.services.settings) },
    };
  },
});

/** The login page with the failure; rethrows any other error. */
function renderLoginAgain(loginReturn: LoginReturn, email: string, failure: unknown): Failure {
  if (!(failure instanceof Failure)) throw failure;
  return new FailureWithPage(failure, loginPage(loginReturn, { email, failure }));
}

/** Accepts only the path of an app or of the home page, to prevent open redirects. */
function parseAppPath(path: string, origin: string): string {
  const url = toLocalRedirect(path, origin);
  const home = `${prefixOf(origin)}/`;
  if (url?.pathname !== home && !url?.pathname.startsWith(`${home}apps/`)) {
    throw invalidField("/returnTo", "must be the path of an app, or /");
  }
  return url.pathname + url.search;
}
