import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export const CLIENT = {
  clientId: "millrace",
  clientSecret: "the secret of the client, kept sealed",
};

/** The provider's claims about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** What the person decides when asked: `wait` leaves the page open. */
type Decision = "agree" | "refuse" | "wait";

export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>;

/**
 * A certified identity provider on a loopback port. Each visitor is `visitor`, and consents unless a test decides
 * otherwise: these tests are not about its pages.
 */
export async function startOpenIdProvider(redirectUris: readonly string[]) {
  const server = createServer();
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Claims>();
  let visitor = "";
  let decision: Decision = "agree";
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "upn"] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: async () => ({ ...people.get(id), sub: id }),
    }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["only for tests"] },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void answer(request, response);
    if (decision === "wait") return void response.end("Do you agree?");
    void decide(provider, { visitor, decision }, request, response);
  });
  return {
    issuer,
    /** Sets the person who uses the browser from now on. */
    seat(id: string, claims: Claims): void {
      people.set(id, claims);
      visitor = id;
    },
    /** Sets what the person decides from now on. */
    decide(next: Decision): void {
      decision = next;
    },
    /** Follows the redirects of a browser through the provider, to its return URL. */
    visit: (location: string) => follow(location, issuer),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Interaction = Parameters<Provider["interactionFinished"]>;

async function decide(
  provider: Provider,
  { visitor: accountId, decision }: { readonly visitor: string; readonly decision: Decision },
  request: Interaction[0],
  response: Interaction[1],
): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (decision === "refuse") {
    return provider.interactionFinished(request, response, { error: "access_denied" });
  }
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId } });
  }
  const grant = new provider.Grant({ accountId, clientId: String(params["client_id"]) });
  grant.addOIDCScope(String(params["scope"]));
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(
    request,
    response,
    { consent },
    { mergeWithLastSubmission: true },
  );
}

const HOPS_MAX = 10;

async function follow(location: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(location);
  for (let hop = 0; url.origin === issuer; hop += 1) {
    if (hop === HOPS_MAX) throw new Error("The identity provider leads nowhere.");
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get("location");
    if (next === null) throw new Error(`${url.href}: ${answer.status} ${await answer.text()}`);
    url = new URL(next, url);
  }
  return url;
}
