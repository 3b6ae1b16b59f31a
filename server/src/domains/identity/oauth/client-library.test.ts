import * as client from "openid-client";
import { describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { CALLBACK, register, requestOn } from "./testing/authorization-flow.ts";

/** Tests with a third-party client library over real HTTP. */
// Without MILLRACE_BASE_URL, the issuer has the name of the called address.
const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const issuer: URL = new URL(await world.app.listen({ port: 0, host: "127.0.0.1" }));
const owner = await world.member(["owner"]);
const application = await register(owner);

describe.each([
  ["without a secret", () => client.None()],
  ["with its secret in the body", () => client.ClientSecretPost(application.clientSecret)],
  ["with its secret by HTTP Basic", () => client.ClientSecretBasic(application.clientSecret)],
])("a client %s", (_, authentication) => {
  test("discovers the server and completes the entire flow", async () => {
    const config = await client.discovery(
      issuer,
      application.clientId,
      undefined,
      authentication(),
      { algorithm: "oauth2", execute: [client.allowInsecureRequests] },
    );
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: "profile workspaces:read",
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
    });
    const answer = await consent(url);
    const tokens = await client.authorizationCodeGrant(config, answer, {
      pkceCodeVerifier,
      expectedState,
    });
    expect(tokens).toMatchObject({
      token_type: "bearer",
      expires_in: 3600,
      scope: "profile workspaces:read",
    });
    expect(await whoIs(config, tokens.access_token)).toBe(owner.userId);

    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
    expect(await whoIs(config, fresh.access_token)).toBe(owner.userId);
    await expect(
      client.refreshTokenGrant(config, tokens.refresh_token ?? ""),
    ).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
    const ended = await client
      .fetchProtectedResource(config, fresh.access_token, meAddress(), "GET")
      .catch((error: unknown) => error);
    expect(ended).toBeInstanceOf(client.WWWAuthenticateChallengeError);
  });
});

test("a client introspects and revokes its tokens", async () => {
  const config = await client.discovery(
    issuer,
    application.clientId,
    undefined,
    client.ClientSecretBasic(application.clientSecret),
    { algorithm: "oauth2", execute: [client.allowInsecureRequests] },
  );
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const tokens = await client.authorizationCodeGrant(config, await consent(url), {
    pkceCodeVerifier,
  });
  expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({
    active: true,
    iss: issuer.origin,
    sub: owner.userId,
  });
  await client.tokenRevocation(config, tokens.refresh_token ?? "");
  expect(await client.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
});

test("the metadata lists exactly the supported features", async () => {
  const path = "GET /.well-known/oauth-authorization-server";
  const { body } = await world.stranger(path, undefined, { host: issuer.host });
  expect(body).toMatchObject({
    issuer: issuer.origin,
    authorization_endpoint: `${issuer.origin}/oauth/authorize`,
    token_endpoint: `${issuer.origin}/api/v1/oauth/token`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
  expect(body.scopes_supported).toContain("oauth_applications:write");
});

/** Acts as the person's browser: reads the page, submits the form, follows the redirect. */
async function consent(url: URL): Promise<URL> {
  const headers = { cookie: `millrace_session=${owner.token}`, origin: issuer.origin };
  const page = await (await fetch(url, { headers })).text();
  const answer = await fetch(new URL("authorize", url), {
    method: "POST",
    headers,
    body: new URLSearchParams({ request: requestOn(page), decision: "allow" }),
    redirect: "manual",
  });
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get("location") ?? "");
}

function meAddress(): URL {
  return new URL("/api/v1/auth/me", issuer);
}

async function whoIs(config: client.Configuration, token: string): Promise<string> {
  const answer = await client.fetchProtectedResource(config, token, meAddress(), "GET");
  const { data } = (await answer.json()) as { data: { user: { id: string } } };
  return data.user.id;
}
