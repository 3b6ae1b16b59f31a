import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { isRegisteredRedirect } from "../applications/application.ts";
import { isDocumentUrl, resolveDocumentClient } from "../applications/client-document.ts";
import {
  type Client,
  type ClientWorkspace,
  findClient,
  findWorkspace,
} from "../applications/store.ts";
import { parameter } from "../client-authentication.ts";
import { toErrorDescription } from "../protocol.ts";
import { workspaceInResource } from "../resource-indicator.ts";
import { AGENT_SCOPE, keepAgentScope, parseScopes } from "../scope.ts";
import { CHALLENGE } from "../tokens/token.ts";

/** Failures that are shown and not redirected, because the client is not verified. */
export const UnknownApplication = failure(
  "oauth_unknown_application",
  400,
  "The application that sent you here is unknown.",
);
export const UnknownRedirect = failure(
  "oauth_unknown_redirect",
  400,
  "The redirect URL of the application is not registered.",
);

/** The parameters of RFC 6749 and RFC 7636; others are ignored. */
export const AuthorizationQuery = Type.Object({
  response_type: parameter(100),
  client_id: parameter(500),
  redirect_uri: parameter(2_000),
  scope: parameter(10_000),
  state: parameter(2_000),
  code_challenge: parameter(200),
  code_challenge_method: parameter(100),
  resource: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: "RFC 8707: `…/mcp`, or `…/mcp?workspace=<slug>`",
    }),
  ),
  workspace: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "The slug of a workspace, for a dynamically registered client",
    }),
  ),
  prompt: Type.Optional(
    Type.String({ maxLength: 100, description: "`login` always requires a sign-in" }),
  ),
});
export type AuthorizationQuery = Static<typeof AuthorizationQuery>;

/** A valid authorization request, ready for consent. */
export interface AuthorizationRequest {
  readonly client: Client;
  /** The workspace of the application, or of the request; if there is none, the person chooses. */
  readonly workspace: ClientWorkspace | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
  readonly challenge: string;
}

/** The redirect target of a response to the application. */
export interface RedirectTarget {
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** Returns the request, or a redirect with an error; throws failures that only the person may see. */
export async function resolveRequest(
  platform: Platform,
  query: AuthorizationQuery,
  { origin: issuer, address }: Pick<Caller, "origin" | "address">,
): Promise<AuthorizationRequest | { readonly goTo: string }> {
  const { db } = platform;
  const clientId = query.client_id ?? "";
  const client = isDocumentUrl(clientId)
    ? await resolveDocumentClient(platform, clientId, { address })
    : await findClient(db, clientId);
  if (!client) throw new Failure(UnknownApplication);
  const redirectUri = query.redirect_uri ?? "";
  if (!isRegisteredRedirect(client.redirectUris, redirectUri)) throw new Failure(UnknownRedirect);
  const state = query.state || undefined;
  const asked = query.scope ? parseScopes(query.scope) : client.allowedScopes;
  // A self-registered client is always an agent.
  const scopes = client.workspace ? asked : keepAgentScope(asked, [AGENT_SCOPE]);
  const challenge = query.code_challenge ?? "";
  const named = workspaceInResource(query.resource, issuer);
  const requestError =
    named === null
      ? (["invalid_target", "resource is not a resource of this server"] as const)
      : findRequestError(query, client, scopes);
  if (requestError) {
    const [error, error_description] = requestError;
    return redirectBack({ redirectUri, state }, { error, error_description, iss: issuer });
  }
  const slug = query.workspace || named;
  const workspace = client.workspace ?? (slug ? await findNamed(db, slug) : undefined);
  return { client, workspace, redirectUri, scopes, state, challenge };
}

/**
 * A missing workspace gets the same response as one without access: anyone can register a client, and could
 * otherwise find out which workspaces exist. So single sign-on is offered for every name, and works if it exists.
 */
async function findNamed(db: Platform["db"], slug: string): Promise<ClientWorkspace> {
  const found = await findWorkspace(db, slug);
  return { key: "", slug, name: slug, ...found, singleSignOn: true };
}

/** Redirects to the application with a response; keeps the query of its redirect URI. */
export function redirectBack(
  { redirectUri, state }: RedirectTarget,
  answer: Readonly<Record<string, string>>,
): { readonly goTo: string } {
  const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }) });
  const mark = redirectUri.includes("?") ? "&" : "?";
  return { goTo: `${redirectUri}${mark}${query.toString()}` };
}

/** An error code of RFC 6749, section 4.1.2.1, with its description. */
function findRequestError(
  query: AuthorizationQuery,
  { allowedScopes }: Client,
  scopes: readonly string[],
): readonly [error: string, description: string] | undefined {
  if (!query.response_type) return ["invalid_request", "response_type is required"];
  if (query.response_type !== "code") {
    return ["unsupported_response_type", "response_type must be code"];
  }
  if (query.code_challenge_method !== "S256") {
    return ["invalid_request", "code_challenge_method must be S256 (PKCE)"];
  }
  if (!CHALLENGE.test(query.code_challenge ?? "")) {
    return ["invalid_request", "code_challenge must be a SHA-256 hash in base64url (PKCE)"];
  }
  const beyond = scopes.find((scope) => !allowedScopes.includes(scope));
  if (beyond !== undefined) {
    return [
      "invalid_scope",
      toErrorDescription(`the application is not allowed to request ${beyond.slice(0, 100)}`),
    ];
  }
  return undefined;
}
