import { expect, test } from "vitest";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { startForgingProvider } from "../testing/forging-provider.ts";
import {
  beginLogin,
  comeBack,
  configureOidc,
  newWorkspace,
  sessionIn,
} from "../testing/workspace.ts";

const world = await useWorld({
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" },
});
const provider = await useFixture(startForgingProvider());
const place = await newWorkspace(world);
const asOwner = { cookie: `millrace_session=${place.owner.token}` };
const TEST = "?test=true&returnTo=/settings/sso";

async function readTrial() {
  return (await place.owner("GET /api/v1/settings/sso")).body.data.test;
}
const enforce = (isEnforced: boolean, ask = place.owner) =>
  ask("POST /api/v1/settings/sso/enforce", { enforce: isEnforced });

/** Runs a test login as an owner. */
async function tryLogin(answer: Parameters<typeof provider.visit>[1]) {
  const { location, cookie } = await beginLogin(world, place.slug, TEST, asOwner);
  return comeBack(world, place.slug, provider.visit(location, answer), cookie);
}

test("a test login shows which account it would use, without a session or a new account; only then can it be enforced", async () => {
  await configureOidc(place, provider.issuer);
  expect(await readTrial()).toBeNull();
  expect(await enforce(true)).toMatchObject({
    status: 409,
    body: { code: "sso_untested" },
    events: [],
  });
  const email = "newcomer@trial.example.com";
  const done = await tryLogin({ claims: { email, name: "New Comer" } });
  expect(done).toMatchObject({
    status: 303,
    headers: { location: "/settings/sso" },
    events: ["audit.sso.tested"],
  });
  expect(sessionIn(done.headers)).toBeUndefined();
  expect(await world.sql("select from users where email = $1", [email])).toEqual([]);
  expect(await readTrial()).toMatchObject({
    startedBy: place.owner.userId,
    succeeded: true,
    claims: { email, name: "New Comer", roles: [] },
    account: { kind: "new", userId: null, roles: ["viewer"], isOwn: false },
    errors: [],
  });
  const [own] = await world.sql("select email from users where id = $1", [place.owner.userId]);
  await tryLogin({ claims: { email: own?.email as string } });
  expect((await readTrial()).account).toMatchObject({
    kind: "member",
    roles: ["owner"],
    isOwn: true,
  });
  // The same provider keeps its test result; another one must be tested again.
  await configureOidc(place, provider.issuer, { jitProvisioning: false });
  expect((await readTrial()).succeeded).toBe(true);
  const demanded = await enforce(true);
  expect([demanded.status, demanded.events, demanded.body.data.enforceSSO]).toEqual([
    200,
    ["audit.sso.updated"],
    true,
  ]);
  expect((await enforce(false)).body.data.enforceSSO).toBe(false);
  await configureOidc(place, provider.issuer, { clientSecret: "another secret" });
  expect(await readTrial()).toBeNull();
});

test("every error has a message, and prevents enforcement", async () => {
  await configureOidc(place, provider.issuer, { jitProvisioning: true });
  await tryLogin({ claims: { email: "stranger@trial.example.com" } });
  expect(await readTrial()).toMatchObject({ succeeded: true, account: { kind: "new" } });
  // A person admitted by a former rule would no longer be admitted.
  await configureOidc(place, provider.issuer, { jitProvisioning: false });
  expect(await readTrial()).toBeNull();
  await tryLogin({ claims: { email: "stranger@trial.example.com" } });
  const trial = await readTrial();
  expect(trial).toMatchObject({
    succeeded: false,
    claims: { email: "stranger@trial.example.com" },
    account: null,
    errors: [
      {
        code: "user_unknown",
        message: expect.stringMatching(/^No member has this e-mail address/),
      },
    ],
  });
  expect(await enforce(true)).toMatchObject({ status: 409 });
  // Declined at the provider, and with an invalid response.
  const { location, cookie } = await beginLogin(world, place.slug, TEST, asOwner);
  const state = new URL(location).searchParams.get("state") ?? "";
  const denied = new URLSearchParams({ state, error: "access_denied" });
  const back = await comeBack(world, place.slug, denied, cookie);
  expect([back.status, back.events]).toEqual([303, ["audit.sso.tested"]]);
  expect(await readTrial()).toMatchObject({ claims: null, errors: [{ code: "provider_refused" }] });
  // The response can be used once: the second one belongs to no login.
  expect((await comeBack(world, place.slug, denied, cookie)).status).toBe(403);
  await configureOidc(place, "http://127.0.0.1:1");
  const unreachable = await world.stranger(
    `GET /sso/${place.slug}/login${TEST}`,
    undefined,
    asOwner,
  );
  expect([unreachable.status, unreachable.events]).toEqual([303, ["audit.sso.tested"]]);
  expect(await readTrial()).toMatchObject({ errors: [{ code: "provider_unreachable" }] });
});

test("only an owner with their own session can test or enforce it", async () => {
  await configureOidc(place, provider.issuer);
  const admin = await world.member(["admin"], place);
  const elsewhere = await newWorkspace(world);
  const token = await place.owner("POST /api/v1/auth/tokens", {
    name: "Script",
    expiresIn: "30d",
    scopes: ["sso:write", "sso:read"],
  });
  for (const cookie of [
    "",
    `millrace_session=${admin.token}`,
    `millrace_session=${elsewhere.owner.token}`,
    `millrace_session=${token.body.data.token}`,
  ]) {
    const refused = await world.stranger(`GET /sso/${place.slug}/login${TEST}`, undefined, {
      cookie,
    });
    expect([cookie.slice(0, 20), refused.status, refused.events]).toEqual([
      cookie.slice(0, 20),
      403,
      [],
    ]);
  }
  expect((await enforce(false, admin)).status).toBe(403);
  const scripted = world.asToken(token.body.data.token, place.slug);
  expect((await enforce(false, scripted as typeof place.owner)).status).toBe(403);
  expect(await readTrial()).toBeNull();
});
