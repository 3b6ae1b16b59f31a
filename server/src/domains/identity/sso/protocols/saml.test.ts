import { expect, test } from "vitest";
import { startWorld, useWorld } from "#kernel/testing/world.ts";
import { PROVIDER_KEY, STRANGER_KEY } from "../testing/keys.ts";
import {
  ADA,
  beginLogin,
  postAnswer,
  refusals,
  samlWorkspace,
  sessionIn,
} from "../testing/workspace.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

test("a login with the identity provider creates a session of a new member", async () => {
  const { slug, key, provider } = await samlWorkspace(world);
  const { answer, location } = await beginLogin(world, slug, "?returnTo=/apps/x?y=1");
  expect(answer.events).toEqual(["audit.sso.login_started"]);
  const request = await provider.read(location);
  expect(request).toMatchObject({
    destination: "https://idp.example.com/sso",
    acs: `http://localhost/sso/${slug}/saml/acs`,
    issuer: "https://millrace.example.com",
  });
  const back = await postAnswer(world, slug, await provider.answer(location, { attributes: ADA }));
  expect(back).toMatchObject({ status: 303, headers: { location: "/apps/x?y=1" } });
  expect(back.events).toEqual(["user.activated", "audit.auth.login"]);
  expect(back.headers["set-cookie"]).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Expires=/);
  const me = await world.asToken(sessionIn(back.headers), slug)("GET /api/v1/auth/me");
  expect(me.body.data).toMatchObject({
    user: { email: "ada@example.com", name: "Ada Lovelace" },
    workspace: { slug },
    roles: ["viewer"],
  });
  const [user] = await world.sql("select * from users where email = 'ada@example.com'");
  expect(user).toMatchObject({ status: "active", password_hash: null });
  expect(await refusals(world, key)).toEqual([]);
});

test("a second login uses the same member, and creates nothing", async () => {
  const { slug, provider } = await samlWorkspace(world);
  const grace = { mail: ["Grace@Example.com"] };
  for (const events of [["user.activated", "audit.auth.login"], ["audit.auth.login"]]) {
    const { location } = await beginLogin(world, slug);
    const form = await provider.answer(location, { attributes: grace });
    const back = await postAnswer(world, slug, form);
    expect(back).toMatchObject({ status: 303, headers: { location: "/" }, events });
  }
  const users = await world.sql("select id from users where email = 'grace@example.com'");
  expect(users).toHaveLength(1);
});

test("accepts a response that is also signed, and one of two configured certificates", async () => {
  const certificate = `${STRANGER_KEY.certificate}\n${PROVIDER_KEY.certificate}`;
  const { slug, provider } = await samlWorkspace(world, { certificate });
  const { location } = await beginLogin(world, slug);
  const form = await provider.answer(location, { attributes: ADA }, "both");
  expect(await postAnswer(world, slug, form)).toMatchObject({ status: 303 });
});

test("accepts a certificate in plain base64, and a NameID as the address", async () => {
  const certificate = PROVIDER_KEY.certificate.replaceAll(/-----[A-Z ]+-----|\s/g, "");
  const { slug, provider } = await samlWorkspace(world, {
    certificate,
    attributeMapping: {},
    idpEntityId: undefined,
  });
  const { location } = await beginLogin(world, slug);
  const back = await postAnswer(world, slug, await provider.answer(location));
  expect(back).toMatchObject({ status: 303 });
  const me = await world.asToken(sessionIn(back.headers), slug)("GET /api/v1/auth/me");
  expect(me.body.data.user.email).toBe("ada@example.com");
});

test("an independent library reads the endpoints from the metadata", async () => {
  const { slug, metadata } = await samlWorkspace(world);
  const { headers } = await world.stranger(`GET /sso/${slug}/saml/metadata`);
  expect(headers["content-type"]).toBe("application/samlmetadata+xml");
  const { ServiceProvider } = await import("samlify");
  const { entityMeta } = ServiceProvider({ metadata });
  expect(entityMeta.getEntityID()).toBe("https://millrace.example.com");
  expect(entityMeta.isWantAssertionsSigned()).toBe(true);
  expect(entityMeta.getAssertionConsumerService("post")).toBe(
    `http://localhost/sso/${slug}/saml/acs`,
  );
  const again = await world.stranger(`GET /sso/${slug}/saml/metadata`);
  expect(again.body).toBe(metadata);
});

test("accepts a small clock difference, and rejects a large one", async () => {
  const { slug, key, provider } = await samlWorkspace(world);
  for (const [offMs, status] of [
    [50_000, 303],
    [-340_000, 303],
    [70_000, 403],
    [-370_000, 403],
  ] as const) {
    const { location } = await beginLogin(world, slug);
    const nowMs = world.clock.nowMs() + offMs;
    const form = await provider.answer(location, { nowMs, attributes: ADA });
    expect([offMs, (await postAnswer(world, slug, form)).status]).toEqual([offMs, status]);
  }
  expect((await refusals(world, key)).map(({ detail }) => detail)).toEqual([
    "SAML assertion not yet valid",
    "SAML assertion expired: clocks skewed too much",
  ]);
});

test("with https, the response must come from the browser that started the login", async () => {
  await using secure = await startWorld({
    env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_BASE_URL: "https://millrace.example.com" },
  });
  const { slug, key, provider } = await samlWorkspace(secure);
  const { location, cookie, answer } = await beginLogin(secure, slug);
  expect(answer.headers["set-cookie"]).toMatch(
    new RegExp(`; Path=/sso/${slug}/; HttpOnly; SameSite=None; Max-Age=600; Secure$`),
  );
  const form = await provider.answer(location, { attributes: ADA });
  const back = await postAnswer(secure, slug, form, { cookie });
  expect(back).toMatchObject({ status: 303 });
  expect(back.headers["set-cookie"]).toMatch(/; Secure$/);
  const other = await beginLogin(secure, slug);
  const stolen = await provider.answer(other.location, { attributes: ADA });
  expect(await postAnswer(secure, slug, stolen, { cookie })).toMatchObject({
    status: 403,
    events: ["audit.sso.login_failed"],
  });
  expect(await refusals(secure, key)).toMatchObject([{ reason: "browser_unknown" }]);
});
