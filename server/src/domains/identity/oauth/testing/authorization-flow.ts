import { createHash, randomBytes } from "node:crypto";
import type { Answer, Ask, World } from "#kernel/testing/world.ts";

export const CALLBACK = "https://desk.example.com/callback";
const HOST = "millrace.example.com";

export interface TestApplication {
  readonly clientId: string;
  readonly clientSecret: string;
}

let count = 0;

/** Registers an application with an authorized member. */
export async function register(
  builder: Ask,
  fields: Record<string, unknown> = {},
): Promise<TestApplication> {
  count += 1;
  const { body } = await builder("POST /api/v1/oauth/applications", {
    name: `Desk companion ${count}`,
    redirectUris: [CALLBACK],
    allowedScopes: ["profile", "workspaces:read"],
    ...fields,
  });
  return body.data;
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export function queryFor(
  { clientId }: TestApplication,
  { challenge }: Pkce,
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: "profile workspaces:read",
    state: "a state",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  };
}

/** A browser on a page of this server, with a session cookie or without. */
export function browser(world: World, token?: string): Ask {
  const own = {
    host: HOST,
    origin: `http://${HOST}`,
    ...(token !== undefined && { cookie: `millrace_session=${token}` }),
  };
  return (route, body, headers) => world.stranger(route, body, { ...own, ...headers });
}

export function authorizeRoute(query: Record<string, string>): string {
  return `GET /oauth/authorize?${new URLSearchParams(query).toString()}`;
}

/** The value of the hidden field in a page. */
export function requestOn(page: string): string {
  const [, value = ""] = /name="request" value="([^"]*)"/.exec(page) ?? [];
  return value.replaceAll(/&#(\d+);/g, (_match, code) => String.fromCharCode(Number(code)));
}

/** The query that a redirect carries back to the application. */
export function wayBack({ headers }: Answer): URLSearchParams {
  return new URL(headers["location"] ?? "").searchParams;
}

/** From the consent page to the code. */
export async function allow(
  world: World,
  token: string,
  query: Record<string, string>,
): Promise<string> {
  const page = await browser(world, token)(authorizeRoute(query));
  const answer = await browser(world, token)("POST /oauth/authorize", {
    request: requestOn(page.body),
    decision: "allow",
  });
  return wayBack(answer).get("code") ?? "";
}

/** The body of a code exchange that should succeed. */
export async function exchangeBody(
  world: World,
  token: string,
  application: TestApplication,
  more: Record<string, string> = {},
): Promise<Record<string, string>> {
  const pkce = newPkce();
  return {
    grant_type: "authorization_code",
    code: await allow(world, token, queryFor(application, pkce, more)),
    redirect_uri: CALLBACK,
    client_id: application.clientId,
    code_verifier: pkce.verifier,
  };
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** The whole flow, up to tokens. */
export async function tokensFor(
  world: World,
  token: string,
  application: TestApplication,
  more: Record<string, string> = {},
): Promise<Tokens> {
  const body = await exchangeBody(world, token, application, more);
  return (await world.stranger("POST /api/v1/oauth/token", body)).body;
}

/** The response of the token endpoint to an invalid code or refresh token, and its event. */
const badGrant = { status: 400, body: { error: "invalid_grant" } };
export const REFUSED = { ...badGrant, events: ["audit.oauth_token.refused"] };
export const REUSED = { ...badGrant, events: ["audit.oauth_token.reuse_detected"] };

export const FORM = { "content-type": "application/x-www-form-urlencoded" };

export function basic(name: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}` };
}

export function refreshBody(
  { refresh_token }: Tokens,
  { clientId }: TestApplication,
): Record<string, string> {
  return { grant_type: "refresh_token", refresh_token, client_id: clientId };
}

/** The reason in the newest rejection event of an application, as its workspace sees it. */
export async function newestReason(owner: Ask, { clientId }: TestApplication): Promise<string> {
  const path = `GET /api/v1/audit?type=audit.oauth_token.refused&resourceId=${clientId}&limit=1`;
  return (await owner(path)).body.data[0]?.data.reason;
}
