import { expect, test } from "vitest";
import { startWorld, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startOpenIdProvider } from "../testing/openid-provider.ts";
import {
  beginLogin,
  callbackUrl,
  comeBack,
  configureOidc,
  newWorkspace,
  refusals,
  sessionIn,
} from "../testing/workspace.ts";

const world = await useWorld({
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" },
});
const place = await newWorkspace(world);
const second = await newWorkspace(world);
const provider = await useFixture(startOpenIdProvider([callbackUrl(place), callbackUrl(second)]));
await configureOidc(place, provider.issuer);
await configureOidc(second, provider.issuer);

async function signIn(at = place, query = "") {
  const { location, cookie, answer } = await beginLogin(world, at.slug, query);
  const back = await provider.visit(location);
  return { answer, location, back, cookie };
}

test("a login with a real provider creates a session of a new member", async () => {
  provider.seat("p-1", { email: "Ada@example.com", email_verified: true, name: "Ada Lovelace" });
  const { answer, location, back, cookie } = await signIn(place, "?returnTo=/apps/x");
  expect(answer.events).toEqual(["audit.sso.login_started"]);
  expect(answer.headers["set-cookie"]).toMatch(
    new RegExp(`; Path=/sso/${place.slug}/; HttpOnly; SameSite=Lax; Max-Age=600$`),
  );
  const asked = Object.fromEntries(new URL(location).searchParams);
  expect(asked).toMatchObject({
    response_type: "code",
    scope: "openid email profile",
    code_challenge_method: "S256",
    redirect_uri: callbackUrl(place),
  });
  expect(back.href.startsWith(callbackUrl(place))).toBe(true);
  const done = await comeBack(world, place.slug, back.searchParams, cookie);
  expect(done).toMatchObject({ status: 303, headers: { location: "/apps/x" } });
  expect(done.events).toEqual(["user.activated", "audit.auth.login"]);
  const me = await world.asToken(sessionIn(done.headers), place.slug)("GET /api/v1/auth/me");
  expect(me.body.data).toMatchObject({
    user: { email: "ada@example.com", name: "Ada Lovelace" },
    roles: ["viewer"],
    authenticatedBy: "session",
  });
});

test("an address change keeps the account and does not give it to a different user", async () => {
  provider.seat("p-2", { email: "bob@example.com", name: "Bob" });
  const first = await signIn();
  expect(await comeBack(world, place.slug, first.back.searchParams, first.cookie)).toMatchObject({
    status: 303,
  });
  provider.seat("p-2", { email: "robert@example.com", name: "Bob" });
  const renamed = await signIn();
  const done = await comeBack(world, place.slug, renamed.back.searchParams, renamed.cookie);
  const me = await world.asToken(sessionIn(done.headers), place.slug)("GET /api/v1/auth/me");
  expect(me.body.data.user.email).toBe("bob@example.com");
  // Another person now has Bob's former address.
  provider.seat("p-3", { email: "bob@example.com", name: "Bobby" });
  const other = await signIn();
  expect(await comeBack(world, place.slug, other.back.searchParams, other.cookie)).toMatchObject({
    status: 403,
    events: ["audit.sso.login_failed"],
  });
  expect((await refusals(world, place.key)).at(-1)).toMatchObject({
    reason: "identity_mismatch",
    email: "bob@example.com",
  });
});

test("claims may have other names, and the configured scopes are requested", async () => {
  await configureOidc(second, provider.issuer, {
    scopes: ["email", "profile"],
    claimsMapping: { email: "upn", name: "email" },
  });
  provider.seat("p-4", { email: "The Name", upn: "carol@example.com" });
  const { location, back, cookie } = await signIn(second);
  expect(new URL(location).searchParams.get("scope")).toBe("openid email profile");
  const done = await comeBack(world, second.slug, back.searchParams, cookie);
  const me = await world.asToken(sessionIn(done.headers), second.slug)("GET /api/v1/auth/me");
  expect(me.body.data.user).toMatchObject({ email: "carol@example.com", name: "The Name" });
});

test("rejects an address that the provider has not verified", async () => {
  provider.seat("p-5", { email: "dan@example.com", email_verified: false });
  const { back, cookie } = await signIn();
  expect(await comeBack(world, place.slug, back.searchParams, cookie)).toMatchObject({
    status: 403,
    events: ["audit.sso.login_failed"],
  });
  expect((await refusals(world, place.key)).at(-1)).toMatchObject({ reason: "email_unverified" });
  expect(await world.sql("select from users where email = 'dan@example.com'")).toEqual([]);
});

test("shows an explanation after the user declines at the provider", async () => {
  const { location, cookie } = await beginLogin(world, place.slug);
  const state = new URL(location).searchParams.get("state") ?? "";
  const said = new URLSearchParams({
    error: "access_denied",
    error_description: "<script>",
    state,
    iss: provider.issuer,
  });
  const done = await comeBack(world, place.slug, said, cookie);
  expect(done).toMatchObject({ status: 403, events: ["audit.sso.login_failed"] });
  expect(done.body).not.toContain("<script>");
  expect((await refusals(world, place.key)).at(-1)).toMatchObject({
    reason: "provider_refused",
    detail: "The provider returned access_denied.",
  });
});

test("an unreachable or forbidden provider causes an error page and an event", async () => {
  await using guarded = await startWorld();
  const inside = await newWorkspace(guarded);
  await configureOidc(inside, provider.issuer);
  const refused = await guarded.stranger(`GET /sso/${inside.slug}/login`);
  expect(refused).toMatchObject({ status: 502, events: ["audit.sso.login_failed"] });
  expect(refused.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(await refusals(guarded, inside.key)).toMatchObject([{ reason: "provider_unreachable" }]);
  const nobody = await newWorkspace(world);
  await configureOidc(nobody, "http://127.0.0.1:1");
  expect(await world.stranger(`GET /sso/${nobody.slug}/login`)).toMatchObject({ status: 502 });
});

test("the client secret is not in the database, events, responses or logs", async () => {
  const [row] = await world.sql("select client_secret from sso_configurations limit 1");
  expect(row.client_secret.toString("latin1")).not.toContain("the secret of the client");
  const events = await world.sql("select data::text from events");
  const shown = await place.owner("GET /api/v1/settings/sso");
  const everything = JSON.stringify([events, shown.body, world.lines]);
  expect(everything).not.toContain("the secret of the client");
  expect(shown.body.data.hasClientSecret).toBe(true);
});
