import { toAccountEmail } from "#domains/identity/accounts/index.ts";
import Type from "typebox";
import {
  BadLogin,
  BadSecondFactor,
  buildSessionCookie,
  checkLogin,
  LOGIN_EVENTS,
  createSession,
  MfaRequired,
} from "#domains/identity/sessions/index.ts";
import { SsoRequired } from "#domains/identity/sso/enforcement/index.ts";
import { FailureWithPage, htmlErrorRendering } from "#kernel/html/error-page.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  AuthorizationQuery,
  type AuthorizationRequest,
  resolveRequest,
  UnknownApplication,
  UnknownRedirect,
} from "./request.ts";
import { askConsent, recordDecision, FormExpired, FormUsed, visitorOf } from "./consent.ts";
import { parameter } from "../client-authentication.ts";
import { BadClientDocument } from "../applications/client-document.ts";
import { ConsentDenied, ConsentGranted } from "../events.ts";
import { loginPage } from "./pages.ts";

const example = {
  query: {
    response_type: "code",
    client_id: "oac_01jd0000000000000000000000",
    redirect_uri: "https://desk.example.com/callback",
    scope: "profile workspaces:read",
    state: "af0ifjsldkj",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  },
};

export const authorizePage = query({
  id: "oauth.authorize",
  route: "GET /oauth/authorize",
  summary: "Show the sign-in page, then the consent page",
  description:
    "RFC 6749 with PKCE (S256 only). `redirect_uri` must exactly match a registered URI, except for the port of a loopback host. With another URI, or an unknown client, the user sees an error and is not redirected. Default for `scope`: all allowed scopes. Redirects to `redirect_uri` with `code`, `state` and `iss`, or with `error`.",
  access: "visitor",
  query: AuthorizationQuery,
  response: html(htmlErrorRendering),
  fails: [UnknownApplication, UnknownRedirect, BadClientDocument, RateLimited],
  example,
  prepare: (platform, { query: parameters }, caller) =>
    resolveRequest(platform, parameters, caller),
  async run(ctx, { query: parameters }, request) {
    if ("goTo" in request) return request;
    const text = toQueryString(parameters);
    const visitor = visitorOf(ctx.caller);
    if (!visitor || parameters.prompt === "login") return loginPage(request, { query: text });
    const here = `authorize?${text}`;
    return askConsent(ctx, visitor, request, { here, otherAccount: `${here}&prompt=login` });
  },
});

export const decideAuthorization = command({
  id: "oauth.decide",
  route: "POST /oauth/authorize",
  summary: "Submit the consent form",
  access: "visitor",
  acceptsForm: true,
  body: object({
    request: Type.String({ maxLength: 40_000, description: "Signed value from the page" }),
    decision: Type.Enum(["allow", "allow_reading", "deny"]),
  }),
  issuesCredential: true,
  response: html(htmlErrorRendering),
  emits: [ConsentGranted, ConsentDenied],
  fails: [FormExpired, FormUsed, UnknownApplication, UnknownRedirect],
  example: { body: { request: "eyJncmFudElkIjoi…", decision: "allow" } },
  run: (ctx, { body }) => recordDecision(ctx, body),
});

export const loginToAuthorize = command({
  id: "oauth.login",
  route: "POST /oauth/login",
  summary: "Submit the sign-in form, and continue to the consent page",
  access: "visitor",
  acceptsForm: true,
  body: object({
    request: Type.String({ maxLength: 20_000, description: "The query of GET /oauth/authorize" }),
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 200 }),
    code: parameter(40),
  }),
  response: html(htmlErrorRendering),
  emits: LOGIN_EVENTS,
  fails: [
    BadLogin,
    MfaRequired,
    BadSecondFactor,
    SsoRequired,
    RateLimited,
    UnknownApplication,
    UnknownRedirect,
    BadClientDocument,
  ],
  example: {
    body: {
      request: new URLSearchParams(example.query).toString(),
      email: "admin@example.com",
      password: "correct horse battery staple",
    },
  },
  async prepare(platform, { body }, caller) {
    const parameters = Object.fromEntries(new URLSearchParams(body.request));
    const request = await resolveRequest(platform, parameters, caller);
    const { email, password, code } = body;
    try {
      const attempt = await checkLogin(
        platform,
        { email, password, ...(code && { code }) },
        caller,
      );
      return { request, attempt };
    } catch (error) {
      throw renderLoginAgain(request, body, error);
    }
  },
  async run(ctx, { body }, { request, attempt }) {
    const session = await createSession(ctx, toAccountEmail(body.email), attempt);
    // Returned, not thrown, so that its event is committed; the page shows the form again.
    if (session instanceof Failure) return renderLoginAgain(request, body, session);
    return {
      goTo: `authorize?${toQueryString(Object.fromEntries(new URLSearchParams(body.request)))}`,
      headers: { "set-cookie": buildSessionCookie(session, ctx.services.settings) },
    };
  },
});

/** The query of the request without `prompt`, which applies only to this visit. */
function toQueryString({ prompt: _, ...parameters }: AuthorizationQuery): string {
  const known = Object.keys(AuthorizationQuery.properties);
  return new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => known.includes(pair[0])),
  ).toString();
}

/** The login page with the failure; rethrows any other error. */
function renderLoginAgain(
  request: AuthorizationRequest | { readonly goTo: string },
  { request: text, email }: { readonly request: string; readonly email: string },
  failure: unknown,
): Failure {
  if (!(failure instanceof Failure) || "goTo" in request) throw failure;
  return new FailureWithPage(failure, loginPage(request, { query: text, email, failure }));
}
