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
  summary: "Get the workspace for single sign-on",
  description:
    "Returns the slug of the given workspace if it has single sign-on, or the slug of the only workspace with single sign-on. Otherwise `null`.",
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
  summary: "Redirect to the identity provider",
  description:
    "`returnTo`, a path on this server, is the page after the sign-in. If the browser is already signed in, the identity is linked to the account. With `test`, an owner tests the configuration: no session is created, and `GET /api/v1/settings/sso` contains the result.",
  access: "visitor",
  params: BySlug,
  query: object({
    returnTo: Type.Optional(text(2_000)),
    test: Type.Optional(
      Type.Boolean({ description: "Tests the configuration without creating a session" }),
    ),
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
  summary: "Receive the response of a SAML identity provider",
  description:
    "The assertion consumer service. The assertion must be signed, addressed to this server, valid at this time, unused, and a response to our sign-in request. Creates a session for this workspace only.",
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
  summary: "Receive the response of an OpenID Connect provider",
  description: "Creates a session for this workspace only.",
  access: "public",
  readsCookies: true,
  params: BySlug,
  // Providers add other parameters, which RFC 6749 requires to ignore.
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
  summary: "Get the SAML metadata of a workspace",
  access: "public",
  params: BySlug,
  response: media("application/samlmetadata+xml"),
  fails: [NotConfigured],
  example: { params },
  async prepare({ db }, { params: { workspace: slug } }, { origin }) {
    const sso = await findBySlug(db, slug);
    if (sso?.protocol !== "saml2") throw new Failure(NotConfigured);
    // Loaded on first use, because its library uses memory and few installations need it.
    const { buildMetadata: metadata } = await import("../protocols/saml.ts");
    return metadata(origin, slug, sso.provider.entityId);
  },
  run: async (_ctx, _input, xml) => xml,
});

/** Drops parameters that are not strings: unknown ones may be repeated. */
function stringParameters(query: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
