import { somebody, withApp } from "#domains/identity/mfa/testing/people.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import {
  authorizeRoute,
  browser,
  CALLBACK,
  exchangeBody,
  newPkce,
  queryFor,
  register,
  requestOn,
  tokensFor,
} from "./testing/authorization-flow.ts";

const anApplication = async (owner: Ask): Promise<Arranged> => {
  const { clientId } = await register(owner);
  return { params: { clientId }, environmentScoped: false };
};

function decision(answer: "allow" | "deny"): Sample {
  return {
    operation: "oauth.decide",
    name: answer,
    async arrange(owner, world) {
      const query = queryFor(await register(owner), newPkce());
      const by = browser(world, owner.token);
      const page = await by(authorizeRoute(query));
      return { by, body: { request: requestOn(page.body), decision: answer }, status: 303 };
    },
  };
}

/** A login on the page of this server; `proof` contains the credentials besides the address. */
function pageLogin(
  name: string,
  proofOf: (world: World) => Promise<Record<string, string>>,
  status: number,
): Sample {
  return {
    operation: "oauth.login",
    name,
    async arrange(owner, world) {
      const query = queryFor(await register(owner), newPkce());
      const request = new URLSearchParams(query).toString();
      return { by: browser(world), body: { request, ...(await proofOf(world)) }, status };
    },
  };
}

async function guarded(world: World, code: (codes: readonly string[]) => string | undefined) {
  const person = await somebody(world);
  const sent = code((await withApp(world, person)).recoveryCodes);
  return { email: person.email, password: TEST_PASSWORD, ...(sent && { code: sent }) };
}

const tokens: readonly Sample[] = [
  { operation: "oauth.list_consents", arrange: async () => ({ environmentScoped: false }) },
  {
    operation: "oauth.revoke_consent",
    async arrange(owner, world) {
      const application = await register(owner);
      await tokensFor(world, owner.token ?? "", application);
      return { params: { clientId: application.clientId }, environmentScoped: false };
    },
  },
  {
    operation: "oauth.token",
    name: "for a code",
    arrange: async (owner, world) => ({
      body: await exchangeBody(world, owner.token ?? "", await register(owner)),
    }),
  },
  {
    operation: "oauth.token",
    name: "for a refresh token",
    arrange: async (owner, world) => ({ body: await refreshBody(owner, world) }),
  },
  {
    operation: "oauth.token",
    name: "for a refresh token that was used",
    arrange: async (owner, world) => {
      const body = await refreshBody(owner, world);
      await world.stranger("POST /api/v1/oauth/token", body);
      return { body, status: 400 };
    },
  },
  {
    operation: "oauth.token",
    name: "for a code that nobody issued",
    arrange: async (owner) => {
      const { clientId } = await register(owner);
      const grant = { grant_type: "authorization_code", code: "mrc_guess", client_id: clientId };
      const body = { ...grant, redirect_uri: CALLBACK, code_verifier: "v".repeat(43) };
      return { body, status: 400 };
    },
  },
  {
    operation: "oauth.revoke",
    arrange: async (owner, world) => {
      const application = await register(owner);
      const { access_token } = await tokensFor(world, owner.token ?? "", application);
      return { body: { token: access_token, client_id: application.clientId } };
    },
  },
  {
    operation: "oauth.revoke",
    name: "of a token that nobody knows",
    arrange: async (owner) => {
      const { clientId } = await register(owner);
      return { body: { token: "mro_guess", client_id: clientId } };
    },
  },
  {
    operation: "oauth.introspect",
    arrange: async (owner, world) => {
      const application = await register(owner);
      const { access_token } = await tokensFor(world, owner.token ?? "", application);
      const { clientId, clientSecret } = application;
      return { body: { token: access_token, client_id: clientId, client_secret: clientSecret } };
    },
  },
];

async function refreshBody(owner: Ask, world: World): Promise<Record<string, string>> {
  const application = await register(owner);
  const { refresh_token } = await tokensFor(world, owner.token ?? "", application);
  return { grant_type: "refresh_token", refresh_token, client_id: application.clientId };
}

export const samples: readonly Sample[] = [
  {
    operation: "oauth.create_application",
    arrange: async () => ({
      body: { name: "Desk companion", redirectUris: [CALLBACK], allowedScopes: ["profile"] },
    }),
  },
  { operation: "oauth.list_applications", arrange: async () => ({ query: { limit: "2" } }) },
  { operation: "oauth.get_application", arrange: anApplication },
  {
    operation: "oauth.update_application",
    arrange: async (owner) => ({ ...(await anApplication(owner)), body: { name: "Renamed" } }),
  },
  { operation: "oauth.rotate_application_secret", arrange: anApplication },
  { operation: "oauth.delete_application", arrange: anApplication },
  {
    operation: "oauth.authorize",
    arrange: async (owner) => ({ query: queryFor(await register(owner), newPkce()) }),
  },
  decision("allow"),
  decision("deny"),
  pageLogin(
    "with the right password",
    async () => ({ email: "admin@example.com", password: TEST_PASSWORD }),
    303,
  ),
  pageLogin(
    "with a wrong password",
    async () => ({ email: "admin@example.com", password: "not the password" }),
    401,
  ),
  pageLogin("without the second factor", (world) => guarded(world, () => undefined), 401),
  pageLogin("with a wrong second factor", (world) => guarded(world, () => "wrong-code"), 401),
  pageLogin("with a recovery code", (world) => guarded(world, ([first]) => first), 303),
  ...tokens,
  { operation: "oauth.metadata", arrange: async () => ({}) },
  { operation: "oauth.resource_metadata", arrange: async () => ({}) },
  { operation: "oauth.agent_resource_metadata", arrange: async () => ({}) },
  {
    operation: "oauth.register",
    arrange: async () => ({ body: { redirect_uris: ["http://127.0.0.1/callback"] } }),
  },
];
