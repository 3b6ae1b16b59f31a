import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { type ForgingProvider, startForgingProvider } from "./testing/forging-provider.ts";
import {
  ADA,
  beginLogin,
  oidcWorkspace,
  SAML_SETTINGS,
  samlWorkspace,
} from "./testing/workspace.ts";

let openId: Promise<ForgingProvider> | undefined;
let people = 0;

/** Returns an address without an account. */
function newAddress(): string {
  people += 1;
  return `sample-${people}@sso.example.com`;
}

/** The address of a member whose invitation was not mailed. */
async function invitedAddress(world: World, place: { key: string; slug: string }): Promise<string> {
  return `${(await world.member(["viewer"], place)).userId}@example.com`;
}

/** How a login starts: as a normal login, or as a test by an owner. */
function startOf(
  { owner }: { owner: { token: string } },
  isTest: boolean,
): [query?: string, headers?: Record<string, string>] {
  return isTest ? ["?test=true", { cookie: `millrace_session=${owner.token}` }] : [];
}

async function samlAnswer(world: World, isMember = false, isTest = false): Promise<Arranged> {
  const { provider, ...place } = await samlWorkspace(world);
  const { slug } = place;
  const { location } = await beginLogin(world, slug, ...startOf(place, isTest));
  const attributes = {
    ...ADA,
    mail: [isMember ? await invitedAddress(world, place) : newAddress()],
  };
  const body = await provider.answer(location, { attributes });
  return { params: { workspace: slug }, body, status: 303 };
}

async function oidcAnswer(world: World, isMember = false, isTest = false): Promise<Arranged> {
  const provider = await (openId ??= startForgingProvider());
  const place = await oidcWorkspace(world, provider.issuer);
  const { slug } = place;
  const { location, cookie } = await beginLogin(world, slug, ...startOf(place, isTest));
  const email = isMember ? await invitedAddress(world, place) : newAddress();
  const answered = provider.visit(location, { claims: { email } });
  const by: Ask = (route, body, headers) => world.stranger(route, body, { ...headers, cookie });
  return {
    params: { workspace: slug },
    query: Object.fromEntries(answered),
    by,
    status: 303,
  };
}

export const samples: readonly Sample[] = [
  {
    operation: "sso.get",
    arrange: async (owner) => {
      await owner("POST /api/v1/settings/sso", SAML_SETTINGS);
      return {};
    },
  },
  { operation: "sso.put", arrange: async () => ({ body: SAML_SETTINGS }) },
  {
    operation: "sso.enforce",
    arrange: async (owner) => {
      await owner("POST /api/v1/settings/sso", SAML_SETTINGS);
      return { body: { enforce: false } };
    },
  },
  {
    operation: "sso.login",
    name: "by an owner who tests it",
    arrange: async (_owner, world) => {
      const { slug, owner } = await oidcWorkspace(world, "http://127.0.0.1:1");
      const cookie = `millrace_session=${owner.token}`;
      const by: Ask = (route, body, headers) => world.stranger(route, body, { ...headers, cookie });
      return { params: { workspace: slug }, query: { test: true }, by, status: 303 };
    },
  },
  {
    operation: "sso.delete",
    arrange: async (owner) => {
      await owner("POST /api/v1/settings/sso", SAML_SETTINGS);
      return {};
    },
  },
  {
    operation: "sso.login",
    arrange: async (_owner, world) => ({
      params: { workspace: (await samlWorkspace(world)).slug },
      query: { returnTo: "/docs" },
      status: 303,
    }),
  },
  {
    operation: "sso.login",
    name: "when the provider can't be reached",
    arrange: async (_owner, world) => ({
      params: { workspace: (await oidcWorkspace(world, "http://127.0.0.1:1")).slug },
      status: 502,
    }),
  },
  { operation: "sso.find", arrange: async () => ({}) },
  {
    operation: "sso.samlMetadata",
    arrange: async (_owner, world) => ({
      params: { workspace: (await samlWorkspace(world)).slug },
    }),
  },
  { operation: "sso.samlAcs", arrange: (_owner, world) => samlAnswer(world) },
  {
    operation: "sso.samlAcs",
    name: "with a member whose address nobody verified",
    arrange: (_owner, world) => samlAnswer(world, true),
  },
  {
    operation: "sso.samlAcs",
    name: "to an owner who tests it",
    arrange: (_owner, world) => samlAnswer(world, false, true),
  },
  {
    operation: "sso.samlAcs",
    name: "with an answer that belongs to no login",
    arrange: async (_owner, world) => {
      const { body, params = {} } = await samlAnswer(world);
      return { params, body: { ...body, RelayState: "unknown" }, status: 403 };
    },
  },
  { operation: "sso.oidcCallback", arrange: (_owner, world) => oidcAnswer(world) },
  {
    operation: "sso.oidcCallback",
    name: "with a member whose address nobody verified",
    arrange: (_owner, world) => oidcAnswer(world, true),
  },
  {
    operation: "sso.oidcCallback",
    name: "to an owner who tests it",
    arrange: (_owner, world) => oidcAnswer(world, false, true),
  },
  {
    operation: "sso.oidcCallback",
    name: "with an answer that belongs to no login",
    arrange: async (_owner, world) => {
      const { params = {} } = await oidcAnswer(world);
      return { params, query: { state: "unknown", code: "unknown" }, status: 403 };
    },
  },
];
