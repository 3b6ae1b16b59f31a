import Type from "typebox";
import { CredentialsRevoked, UserActivated } from "#domains/identity/accounts/index.ts";
import { LoggedIn } from "#domains/identity/sessions/index.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { Failure, Forbidden, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html, item, media } from "#kernel/operation/response.ts";
import { object, text } from "#kernel/schema/schema.ts";
import { NotConfigured } from "../settings/configuration.ts";
import { SsoLoginFailed, SsoLoginStarted, SsoTested } from "../events.ts";
import * as login from "./login.ts";
import { SsoNoAccess, SsoNotUnderWay, SsoRejected, SsoUnreachable } from "./failure.ts";
import { findBySlug, findEntry } from "../store.ts";

const SAML_RESPONSE_CHARACTERS_MAX = 300_000;

const BySlug = object({
  workspace: Type.String({ maxLength: 63, description: "The slug of the workspace" }),
});
const RESPONSE_FAILURES = [
  NotConfigured,
  RateLimited,
  SsoRejected,
  SsoNotUnderWay,
  SsoNoAccess,
  SsoUnreachable,
];
const params = { workspace: "default" };

export const findSso = query({
  id: "sso.find",
  route: "GET /api/v1/auth/sso",
  summary: "Find the workspace that people sign in to by their identity provider",
  description:
    "The slug of the named workspace, if it has single sign-on, or of the only one that has: then nobody is asked for " +
    "it. `null` otherwise.",
  access: "public",
  query: object({ workspace: Type.Optional(text(63)) }),
  response: item(
    Type.Object({ workspace: Type.Union([Type.String(), Type.Null()]) }, { title: "SsoEntry" }),
  ),
  example: { query: { workspace: "default" } },
  prepare: ({ db }, { query: { workspace = "" } }) => findEntry(db, workspace),
  run: async (_ctx, _input, slug) => ({ workspace: slug ?? null }),
});

export const startSso = command({
  id: "sso.login",
  route: "GET /sso/{workspace}/login",
  allowInMaintenance: true,
  summary: "Go to the workspace's identity provider to sign in",
  description:
    "Answers with a redirect. `returnTo`, a path of ours, is where it ends. A browser that is logged in shows " +
    "by it that the person at the provider is also the account's holder. With `test` an owner tries the configuration: " +
    "no session begins, and `GET /api/v1/settings/sso` tells what came back.",
  access: "visitor",
  params: BySlug,
  query: object({
    returnTo: Type.Optional(text(2_000)),
    test: Type.Optional(Type.Boolean({ description: "Tries it without a session" })),
  }),
  response: html(htmlErrorRendering),
  emits: [SsoLoginStarted, SsoLoginFailed, SsoTested],
  fails: [NotConfigured, RateLimited, SsoUnreachable, SsoRejected, Forbidden],
  example: { params, query: { returnTo: "/docs" } },
  prepare: (platform, { params: { workspace: slug }, query: { returnTo, test = false } }, caller) =>
    login.prepareStart(platform, { slug, returnTo, test }, caller),
  run: (ctx, _input, prepared) => login.startLogin(ctx, prepared),
});

export const samlAcs = command({
  id: "sso.samlAcs",
  route: "POST /sso/{workspace}/saml/acs",
  allowInMaintenance: true,
  summary: "Take the answer of a SAML identity provider",
  description:
    "The assertion consumer service. The assertion itself must be signed, be meant for us, be in " +
    "time, answer a login of ours and be new. Begins a session, good for this workspace alone.",
  access: "public",
  acceptsForm: true,
  readsCookies: true,
  params: BySlug,
  body: Type.Object({
    SAMLResponse: Type.String({ minLength: 1, maxLength: SAML_RESPONSE_CHARACTERS_MAX }),
    RelayState: Type.Optional(text(200)),
  }),
  response: html(htmlErrorRendering),
  emits: [LoggedIn, UserActivated, CredentialsRevoked, SsoLoginFailed, SsoTested],
  fails: RESPONSE_FAILURES,
  example: { params, body: { SAMLResponse: "PHNhbWxwOlJlc3BvbnNlIC4uLg==", RelayState: "opaque" } },
  prepare: (platform, { params: { workspace: slug }, body }, caller) =>
    login.prepareResponse(
      platform,
      {
        slug,
        protocol: "saml2",
        state: body.RelayState,
        verify: login.samlVerifier(body.SAMLResponse, platform),
      },
      caller,
    ),
  run: (ctx, _input, prepared) => login.finishLogin(ctx, prepared),
});

export const oidcCallback = command({
  id: "sso.oidcCallback",
  route: "GET /sso/{workspace}/oidc/callback",
  allowInMaintenance: true,
  summary: "Take the answer of an OpenID Connect identity provider",
  description: "Begins a session, good for this workspace alone.",
  access: "public",
  readsCookies: true,
  params: BySlug,
  // Providers add parameters of their own, which RFC 6749 says to ignore.
  query: Type.Object({
    state: Type.Optional(text(200)),
    code: Type.Optional(text(8_000)),
    iss: Type.Optional(text(2_000)),
    error: Type.Optional(text(200)),
    error_description: Type.Optional(text(2_000)),
  }),
  response: html(htmlErrorRendering),
  emits: [LoggedIn, UserActivated, CredentialsRevoked, SsoLoginFailed, SsoTested],
  fails: RESPONSE_FAILURES,
  example: { params, query: { state: "opaque", code: "opaque" } },
  prepare: (platform, { params: { workspace: slug }, query: parameters }, caller) =>
    login.prepareResponse(
      platform,
      {
        slug,
        protocol: "oidc",
        state: parameters.state,
        verify: login.oidcVerifier(stringParameters(parameters), platform),
      },
      caller,
    ),
  run: (ctx, _input, prepared) => login.finishLogin(ctx, prepared),
});

export const samlMetadata = query({
  id: "sso.samlMetadata",
  route: "GET /sso/{workspace}/saml/metadata",
  summary: "Read what a SAML identity provider has to know about us",
  access: "public",
  params: BySlug,
  response: media("application/samlmetadata+xml"),
  fails: [NotConfigured],
  example: { params },
  async prepare({ db }, { params: { workspace: slug } }, { origin }) {
    const sso = await findBySlug(db, slug);
    if (sso?.protocol !== "saml2") throw new Failure(NotConfigured);
    // Loaded here, because its library takes memory and few need it.
    const { buildMetadata: metadata } = await import("../protocols/saml.ts");
    return metadata(origin, slug, sso.provider.entityId);
  },
  run: async (_ctx, _input, xml) => xml,
});

/** Drops parameters that are no strings: one that the schema does not name may be repeated. */
function stringParameters(query: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
