import { generateKeyPairSync } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { startWorld, useFixture, useWorld } from "#kernel/testing/world.ts";
import { type Forgery, startForgingProvider } from "../testing/forging-provider.ts";
import { startOpenIdProvider } from "../testing/openid-provider.ts";
import {
  beginLogin,
  callbackUrl,
  comeBack,
  configureOidc,
  newWorkspace,
  oidcWorkspace,
  refusals,
  type SsoWorkspace,
} from "../testing/workspace.ts";

const world = await useWorld({
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" },
});
const forger = await useFixture(startForgingProvider());
const place = await oidcWorkspace(world, forger.issuer);
afterEach(async () => {
  // Only single sign-on creates confined sessions.
  expect(await world.sql("select id from sessions where confined_to is not null")).toEqual([]);
});

async function expectRefused(
  at: SsoWorkspace,
  come: () => Promise<{ status: number; events: string[]; headers: Record<string, string> }>,
  reason: string,
  detail: RegExp = /./,
): Promise<void> {
  const before = (await refusals(world, at.key)).length;
  const answer = await come();
  expect(answer).toMatchObject({ status: 403, events: ["audit.sso.login_failed"] });
  expect(answer.headers["set-cookie"]).toBeUndefined();
  const told = (await refusals(world, at.key)).slice(before);
  expect(told).toMatchObject([{ reason, protocol: "oidc" }]);
  expect(told[0]?.["detail"]).toMatch(detail);
}

const now = Math.floor(Date.now() / 1000);

test.each<[string, Forgery, RegExp]>([
  ["without a signature", { algorithm: "none" }, /./],
  ["signed with the public key as a secret", { algorithm: "HS256 by the public key" }, /./],
  ["signed with the client secret", { algorithm: "HS256 by the client secret" }, /unsupported/],
  ["signed by another key", { key: strangersKey() }, /signature/],
  ["for another audience", { claims: { aud: "another client" } }, /"aud"/],
  ["of another issuer", { claims: { iss: "https://other.example.com" } }, /"iss"/],
  ["with another nonce", { claims: { nonce: "another" } }, /"nonce"/],
  ["without a nonce", { claims: { nonce: undefined } }, /"nonce"/],
  ["that is over", { claims: { iat: now - 900, exp: now - 600 } }, /timestamp/],
  ["without an end", { claims: { exp: undefined } }, /"exp"/],
  ["issued to another party", { claims: { aud: ["millrace", "b"], azp: "b" } }, /"azp"/],
])("an ID token %s is refused", async (_, forgery, detail) => {
  const { location, cookie } = await beginLogin(world, place.slug);
  const back = forger.visit(location, forgery);
  const come = () => comeBack(world, place.slug, back, cookie);
  await expectRefused(place, come, "answer_rejected", detail);
});

test("the forging provider is accepted if it forges nothing", async () => {
  await using control = await startWorld({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
  const { slug } = await oidcWorkspace(control, forger.issuer);
  const { location, cookie } = await beginLogin(control, slug);
  const back = forger.visit(location, {});
  expect(await comeBack(control, slug, back, cookie)).toMatchObject({ status: 303 });
  // Once.
  expect(await comeBack(control, slug, back, cookie)).toMatchObject({ status: 403 });
});

test("rejects a provider whose metadata names another issuer", async () => {
  const forged = { metadata: { issuer: "https://other.example.com" } };
  const { location, cookie } = await beginLogin(world, place.slug);
  const back = forger.visit(location, forged);
  const come = () => comeBack(world, place.slug, back, cookie);
  await expectRefused(place, come, "answer_rejected", /issuer/);
  forger.visit(location, {});
});

test("rejects an invalid, foreign or missing state, and another browser", async () => {
  const { location, cookie } = await beginLogin(world, place.slug);
  const back = forger.visit(location, {});
  for (const state of ["wrong", ""]) {
    const wrong = new URLSearchParams({ code: "a code", state });
    await expectRefused(place, () => comeBack(world, place.slug, wrong, cookie), "request_unknown");
  }
  const without = new URLSearchParams({ code: "a code" });
  await expectRefused(place, () => comeBack(world, place.slug, without, cookie), "request_unknown");
  // The victim's browser, with its own pending login, is sent here with the attacker's state.
  const victim = await beginLogin(world, place.slug);
  await expectRefused(
    place,
    () => comeBack(world, place.slug, back, victim.cookie),
    "browser_unknown",
  );
  const again = await beginLogin(world, place.slug);
  const good = forger.visit(again.location, {});
  await expectRefused(place, () => comeBack(world, place.slug, good, ""), "browser_unknown");
});

test("a login of one workspace cannot be completed in another", async () => {
  const other = await oidcWorkspace(world, forger.issuer);
  const { location, cookie } = await beginLogin(world, place.slug);
  const back = forger.visit(location, {});
  await expectRefused(other, () => comeBack(world, other.slug, back, cookie), "request_unknown");
});

test("rejects a response after ten minutes", async () => {
  await using later = await startWorld({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
  const { slug, key } = await oidcWorkspace(later, forger.issuer);
  const { location, cookie } = await beginLogin(later, slug);
  const back = forger.visit(location, {});
  later.clock.advance(601_000);
  expect(await comeBack(later, slug, back, cookie)).toMatchObject({ status: 403 });
  expect(await refusals(later, key)).toMatchObject([{ reason: "request_unknown" }]);
});

test("a real provider rejects the code of another login, because it checks the verifier", async () => {
  const honest = await newWorkspace(world);
  await using provider = await startOpenIdProvider([callbackUrl(honest)]);
  await configureOidc(honest, provider.issuer);
  provider.seat("mallory", { email: "mallory@example.com" });
  const mallory = await beginLogin(world, honest.slug);
  const stolen = (await provider.visit(mallory.location)).searchParams;
  const victim = await beginLogin(world, honest.slug);
  const injected = new URLSearchParams(stolen);
  injected.set("state", new URL(victim.location).searchParams.get("state") ?? "");
  await expectRefused(
    honest,
    () => comeBack(world, honest.slug, injected, victim.cookie),
    "answer_rejected",
  );
});

test("rejects a return address on another host", async () => {
  for (const returnTo of [
    "/docs/..//evil.example",
    "https://evil.example.com",
    "//evil.example.com",
    "/\\evil.example.com",
    "\\\\evil.example.com",
    "evil",
    "/\t/evil.example.com",
    "javascript:alert(1)",
  ]) {
    const query = new URLSearchParams({ returnTo }).toString();
    const answer = await world.stranger(`GET /sso/${place.slug}/login?${query}`);
    expect([returnTo, answer.status, answer.events]).toEqual([returnTo, 422, []]);
  }
});

test("logins from one address are limited", async () => {
  await using limited = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "1" } });
  const { slug } = await newWorkspace(limited);
  const statuses = [];
  for (let index = 0; index < 7; index += 1) {
    statuses.push((await limited.stranger(`GET /sso/${slug}/login`)).status);
  }
  expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 429]);
});

function strangersKey() {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}
