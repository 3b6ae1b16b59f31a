import { randomBytes } from "node:crypto";
import Type, { type Static } from "typebox";
import type { Permission } from "#kernel/access/permission.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { id, line, Time } from "#kernel/schema/schema.ts";

const REDIRECT_URIS_MAX = 20;
const SCOPES_MAX = 200;
/** The page's content security policy may have to contain the host; IPv6 hosts are written in brackets. */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const ClientId = id("oac");

/** The writable fields of an application. */
export const applicationFields = {
  name: line(100, "Shown to users on the consent page"),
  redirectUris: Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
    minItems: 1,
    maxItems: REDIRECT_URIS_MAX,
    uniqueItems: true,
    description:
      "Compared exactly, except for the port of a loopback host (RFC 8252). Must use `https`, or `http` on a loopback host, without a fragment",
  }),
  allowedScopes: Type.Array(line(100), {
    minItems: 1,
    maxItems: SCOPES_MAX,
    uniqueItems: true,
    description: "The maximum scope: names of permissions",
  }),
};

export const Application = Type.Object(
  { clientId: ClientId, ...applicationFields, createdAt: Time, updatedAt: Time },
  { title: "OAuthApplication" },
);
export type Application = Static<typeof Application> & { readonly revision: number };

/** With its secret, returned once. */
export const RegisteredApplication = Type.Object(
  { ...Application.properties, clientSecret: Type.String() },
  { title: "RegisteredOAuthApplication" },
);

export function newClientSecret(): string {
  return `mrcs_${randomBytes(32).toString("base64url")}`;
}

/** Throws a failure that lists all invalid redirect URIs and scopes. */
export function assertApplicationFields(
  { redirectUris = [], allowedScopes = [] }: Partial<Static<typeof Application>>,
  catalog: readonly Permission[],
): void {
  const known = new Set(catalog.map(({ name }) => name));
  const errors: FieldError[] = [
    ...redirectUris.map((uri, index) => ({
      path: `/redirectUris/${index}`,
      message: redirectUriError(uri) ?? "",
    })),
    ...allowedScopes.map((scope, index) => ({
      path: `/allowedScopes/${index}`,
      message: known.has(scope) ? "" : "is not a known permission",
    })),
  ].filter(({ message }) => message !== "");
  assertNoErrors(errors);
}

export function redirectUriError(uri: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return "is not an absolute URL";
  const { protocol, hostname, username, password } = new URL(uri);
  if (protocol !== "https:" && protocol !== "http:") return "must begin with https:";
  if (!HOST.test(hostname)) return "has a host that redirects can't use";
  if (username !== "" || password !== "") return "must not contain a user name or password";
  if (uri.includes("#")) return "must not have a fragment";
  if (protocol === "http:" && !LOOPBACK.test(hostname)) {
    return "must begin with https:, because its host is not this computer";
  }
  return undefined;
}

/**
 * Returns whether a redirect URI is allowed: a registered one or, on a loopback host, one that differs only in the
 * port, which native applications cannot choose in advance (RFC 8252, 7.3).
 */
export function isRegisteredRedirect(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  const portless = withoutLoopbackPort(uri);
  return (
    portless !== undefined &&
    URL.canParse(uri) &&
    registered.some((known) => withoutLoopbackPort(known) === portless)
  );
}

const LOOPBACK_URI =
  /^(?<host>http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]))(?::\d{1,5})?(?<rest>(?:[/?][\x21-\x7e]*)?)$/;

function withoutLoopbackPort(uri: string): string | undefined {
  const { host, rest } = LOOPBACK_URI.exec(uri)?.groups ?? {};
  return host === undefined || rest === undefined ? undefined : host + rest;
}

const application = { resource: "oauth_application", data: Application };

export const ApplicationCreated = event("audit.oauth_application.created", {
  ...application,
  summary: "An OAuth application was registered.",
});
export const ApplicationUpdated = changeEvent("audit.oauth_application.updated", {
  ...application,
  summary: "An OAuth application was updated.",
});
export const ApplicationSecretRotated = event("audit.oauth_application.secret_rotated", {
  ...application,
  summary: "The secret of an OAuth application was rotated. The old one no longer works.",
});
export const ApplicationDeleted = event("audit.oauth_application.deleted", {
  ...application,
  summary: "An OAuth application and all its tokens were deleted.",
});
