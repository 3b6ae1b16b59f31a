import * as client from "openid-client";
import type { Platform } from "#kernel/contract.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import type { OidcProvider } from "../settings/configuration.ts";
import { isLoopback } from "../settings/configuration-input.ts";
import { parseEmail, type Identity, buildDisplayName } from "./identity.ts";
import { LoginRefused } from "../login/failure.ts";

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 1024 * 1024;
/** The tolerance for the provider's clock. */
const TOLERANCE_SECONDS = 60;
/** Signature algorithms with the provider's private key; `none` and shared-secret ones are excluded. */
const ALGORITHM = /^(RS|PS|ES)(256|384|512)$|^(EdDSA|Ed25519)$/;

export interface RelyingParty {
  readonly provider: OidcProvider;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** The values of a request that its response must match. */
export interface SentRequest {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export function newSecrets(): Pick<SentRequest, "nonce" | "codeVerifier"> {
  return { nonce: client.randomNonce(), codeVerifier: client.randomPKCECodeVerifier() };
}

/** Builds the authorization URL, from which the browser returns with a code. */
export async function buildRequestUrl(
  platform: Platform,
  relyingParty: RelyingParty,
  sent: SentRequest,
): Promise<string> {
  const configuration = await discover(platform, relyingParty);
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: relyingParty.redirectUri,
    scope: relyingParty.provider.scopes.join(" "),
    response_type: "code",
    state: sent.state,
    nonce: sent.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(sent.codeVerifier),
    code_challenge_method: "S256",
  });
  const isSecure = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
  if (!isSecure)
    throw new LoginRefused(
      "provider_unreachable",
      "The authorization endpoint is not an https URL.",
    );
  return url.href;
}

/** Exchanges the code of a response for the person's identity; rejects a response that fails any check. */
export async function verifyResponse(
  platform: Platform,
  relyingParty: RelyingParty,
  sent: SentRequest,
  query: Readonly<Record<string, string>>,
): Promise<Identity> {
  const configuration = await discover(platform, relyingParty);
  const callbackUrl = new URL(relyingParty.redirectUri);
  callbackUrl.search = new URLSearchParams(query).toString();
  const tokens = await client
    .authorizationCodeGrant(configuration, callbackUrl, {
      expectedState: sent.state,
      expectedNonce: sent.nonce,
      pkceCodeVerifier: sent.codeVerifier,
      idTokenExpected: true,
    })
    .catch(refuseLogin);
  const claims = tokens.claims();
  if (!claims || !ALGORITHM.test(algorithmOf(tokens.id_token ?? ""))) {
    throw new LoginRefused(
      "answer_rejected",
      "The ID token is not signed with a key of the provider.",
    );
  }
  return readIdentity(relyingParty.provider, claims, () =>
    client.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(refuseLogin),
  );
}

async function readIdentity(
  { claimsMapping }: OidcProvider,
  idToken: client.IDToken,
  userInfo: () => Promise<client.UserInfoResponse>,
): Promise<Identity> {
  const { email: emailClaim = "email", name: nameClaim = "name" } = claimsMapping;
  // Many providers put only the subject in the ID token, and other claims in the user info.
  const claims: Readonly<Record<string, unknown>> =
    readClaim(idToken, emailClaim) === undefined ? { ...(await userInfo()) } : { ...idToken };
  const email = parseEmail([readClaim(claims, emailClaim)].filter((value) => value !== undefined));
  const verified = claims["email_verified"];
  if (verified !== undefined && verified !== true && verified !== "true") {
    throw new LoginRefused(
      "email_unverified",
      "The provider has not verified the e-mail address.",
      email,
    );
  }
  return {
    email,
    name: buildDisplayName([readClaim(claims, nameClaim)], email),
    subject: { issuer: idToken.iss, id: idToken.sub },
    roles: [],
    assertion: undefined,
  };
}

function readClaim(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

function algorithmOf(jwt: string): string {
  const header = JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()) as {
    alg?: unknown;
  };
  return String(header.alg);
}

/** Runs discovery for each login, because keys and endpoints change, and logins are rare. */
async function discover(
  platform: Platform,
  { provider, clientSecret }: RelyingParty,
): Promise<client.Configuration> {
  const issuer = new URL(provider.issuer);
  const clientMetadata = {
    [client.clockSkew]: Math.round((platform.clock.nowMs() - Date.now()) / 1000),
    [client.clockTolerance]: TOLERANCE_SECONDS,
  };
  return client
    .discovery(
      issuer,
      provider.clientId,
      clientMetadata,
      chooseClientAuthentication(clientSecret),
      {
        [client.customFetch]: createFetch(platform),
        timeout: TIMEOUT_MS / 1000,
        execute: [
          // Verifies the signature of the ID token; by default the library relies on TLS.
          client.enableNonRepudiationChecks,
          ...(isLoopback(issuer) ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    .catch(refuseLogin);
}

/** Sends the secret in the header, which all providers must accept, unless the provider declares otherwise. */
function chooseClientAuthentication(clientSecret: string): client.ClientAuth {
  const inHeader = client.ClientSecretBasic(clientSecret);
  const inBody = client.ClientSecretPost(clientSecret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? inHeader : inBody)(server, ...rest);
  };
}

/** Routes the library's calls through `outbound`, whose SSRF guard keeps a provider's URL out of private networks. */
function createFetch({ outbound }: Platform): client.CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const {
      status,
      headers: responseHeaders,
      body: bytes,
      truncated,
    } = await outbound.request({
      method,
      url,
      headers: { ...headers, "accept-encoding": "identity" },
      ...(body !== undefined && body !== null && { body: bodyText(body) }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: RESPONSE_BYTES_MAX,
      allowHttp: isLoopback(new URL(url)),
      ...(signal && { signal }),
    });
    if (truncated)
      throw new LoginRefused("answer_malformed", "The response of the provider is too long.");
    const empty = status === 204 || status === 304;
    return new Response(empty ? null : Buffer.from(bytes), {
      status,
      headers: { ...responseHeaders },
    });
  };
}

function bodyText(body: NonNullable<client.FetchBody>): string {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new Error("A body of this kind was not expected.");
}

/** Finds the cause that the library wrapped, and rejects the login with it. */
function refuseLogin(error: unknown): never {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  const refused = chain.find((cause) => cause instanceof LoginRefused);
  if (refused) throw refused;
  const unreachable = chain.find(
    (cause) => cause instanceof OutboundFailed || cause instanceof OutboundRefused,
  );
  if (unreachable) throw new LoginRefused("provider_unreachable", unreachable.message);
  const messages = chain.map(({ message }) => message).join(": ");
  const providerError = chain.find((cause) => cause instanceof client.AuthorizationResponseError);
  throw providerError
    ? new LoginRefused("provider_refused", `The provider returned ${providerError.error}.`)
    : new LoginRefused("answer_rejected", messages);
}
