import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { exportJWK, SignJWT, UnsecuredJWT } from "jose";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CLIENT } from "./openid-provider.ts";

export interface Forgery {
  /** Claims that differ from those of a valid ID token; undefined omits one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly algorithm?: "RS256" | "HS256 by the public key" | "HS256 by the client secret" | "none";
  readonly key?: KeyObject;
  /** Changes to the discovery document. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export type ForgingProvider = Awaited<ReturnType<typeof startForgingProvider>>;

/** An identity provider that issues arbitrary tokens, for attacks that a conforming provider cannot produce. */
export async function startForgingProvider() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" };
  const state = { forgery: {} as Forgery, nonce: "", issuer: "" };
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    const reply = (body: unknown): void => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(body));
    };
    if (path === "/.well-known/openid-configuration") return reply(metadataOf(state));
    if (path === "/jwks") return reply({ keys: [jwk] });
    if (path !== "/token") return void response.writeHead(404).end();
    void idToken(state, { publicKey, privateKey }).then((token) =>
      reply({ access_token: "opaque", token_type: "Bearer", id_token: token }),
    );
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  // Samples have no cleanup step that could close it.
  server.unref();
  state.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer: state.issuer,
    /** The response to a login, with a code that returns such a token. */
    visit(location: string, forgery: Forgery): URLSearchParams {
      const asked = new URL(location).searchParams;
      state.forgery = forgery;
      state.nonce = asked.get("nonce") ?? "";
      return new URLSearchParams({ code: "a code", state: asked.get("state") ?? "" });
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface State {
  forgery: Forgery;
  nonce: string;
  issuer: string;
}

function metadataOf({ issuer, forgery }: State) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    // Offers all algorithms, because what the client accepts must not depend on it.
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    ...forgery.metadata,
  };
}

async function idToken(
  { forgery, nonce, issuer }: State,
  keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    sub: "ada",
    aud: CLIENT.clientId,
    iat: now,
    exp: now + 300,
    nonce,
    email: "ada@example.com",
    email_verified: true,
    ...forgery.claims,
  };
  const algorithm = forgery.algorithm ?? "RS256";
  if (algorithm === "none") return new UnsecuredJWT(claims).encode();
  const jwt = new SignJWT(claims);
  if (algorithm === "RS256") {
    const key = forgery.key ?? keys.privateKey;
    return jwt.setProtectedHeader({ alg: "RS256", kid: "one" }).sign(key);
  }
  const secret =
    algorithm === "HS256 by the client secret"
      ? CLIENT.clientSecret
      : keys.publicKey.export({ type: "spki", format: "pem" });
  return jwt.setProtectedHeader({ alg: "HS256", kid: "one" }).sign(Buffer.from(secret));
}
