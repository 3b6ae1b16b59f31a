import { describe, expect, test } from "vitest";
import { CredentialSourcePoint } from "#kernel/access/authenticator.ts";
import { contribute } from "#kernel/extension-point.ts";
import { domain } from "#kernel/domain.ts";
import { startWorld, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";
import { App, somebody, withApp } from "./testing/people.ts";

const STEP_MS = 30_000;
const STATUS = "GET /api/v1/auth/mfa/status";
const ENROLL = "POST /api/v1/auth/mfa/totp/enroll";
const VERIFY = "POST /api/v1/auth/mfa/totp/verify";
const DISABLE = "POST /api/v1/auth/mfa/totp/disable";
const RENEW = "POST /api/v1/auth/mfa/recovery-codes";

const wrong = { status: 401, body: { code: "bad_second_factor" } };
const WRONG_EVENTS = ["audit.mfa.failed", "audit.auth.login_failed"];

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

describe("TOTP", () => {
  test("enrolls and removes a factor, with an event for each step", async () => {
    const person = await somebody(world);
    const { ask } = person;
    const none = { totp: false, webauthn: false, recoveryCodesLeft: 0, enforced: false };
    expect((await ask(STATUS)).body.data).toEqual(none);

    const begun = await ask(ENROLL);
    expect(begun).toMatchObject({ status: 200, events: ["audit.mfa.totp_begun"] });
    const { qrCodeUri, secret, qrCode } = begun.body.data;
    const uri = new URL(qrCodeUri);
    expect(uri.protocol).toBe("otpauth:");
    expect(uri.pathname).toContain(encodeURIComponent(person.email));
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: "Millrace",
      secret,
      algorithm: "SHA1",
      digits: "6",
      period: "30",
    });
    expect(qrCode).toMatch(/^data:image\/png;base64,iVBORw0KGgo/);
    // Nothing counts before a code was shown.
    expect((await ask(STATUS)).body.data).toEqual(none);
    expect(await person.login()).toMatchObject({ status: 200, events: ["audit.auth.login"] });

    const app = new App(secret, () => world.clock.nowMs());
    const done = await ask(VERIFY, { code: app.next() });
    expect(done).toMatchObject({ status: 200, events: ["audit.mfa.totp_enrolled"] });
    expect(done.body.data.enrolled).toBe(true);
    expect(new Set(done.body.data.recoveryCodes).size).toBe(10);
    expect((await ask(STATUS)).body.data).toEqual({ ...none, totp: true, recoveryCodesLeft: 10 });
    for (const route of [ENROLL, VERIFY]) {
      const again = await ask(route, route === VERIFY ? { code: app.code() } : undefined);
      expect(again).toMatchObject({ status: 409, body: { code: "totp_enrolled" }, events: [] });
    }

    const without = await person.login();
    expect(without).toMatchObject({
      status: 401,
      body: { code: "mfa_required", methods: ["totp", "recovery_code"] },
      headers: { "www-authenticate": "Bearer" },
      events: ["audit.mfa.challenged"],
    });
    expect(without.body).not.toHaveProperty("options");
    const within = await person.login({ code: app.next() });
    expect(within).toMatchObject({ status: 200, events: ["audit.auth.login"] });

    world.clock.advance(STEP_MS);
    const gone = await ask(DISABLE, { code: app.next() });
    expect(gone).toMatchObject({ status: 204, events: ["audit.mfa.totp_removed"] });
    expect((await ask(STATUS)).body.data).toEqual(none);
    expect(await person.login()).toMatchObject({ status: 200, events: ["audit.auth.login"] });
  });

  test("enrolling again replaces the pending secret", async () => {
    const { ask } = await somebody(world);
    const nowMs = () => world.clock.nowMs();
    const early = await ask(VERIFY, { code: "123456" });
    expect(early).toMatchObject({ status: 409, body: { code: "totp_not_begun" }, events: [] });
    const first = new App((await ask(ENROLL)).body.data.secret, nowMs);
    const second = new App((await ask(ENROLL)).body.data.secret, nowMs);
    const refused = await ask(VERIFY, { code: first.code() });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: "bad_code" },
      events: ["audit.mfa.failed"],
    });
    expect(await ask(VERIFY, { code: second.code() })).toMatchObject({ status: 200 });
  });

  test("accepts only codes from the current, previous and next time step", async () => {
    const person = await somebody(world);
    const { app } = await withApp(world, person);
    world.clock.advance(10 * STEP_MS);
    // Two steps away by the server's clock, which may advance in between.
    for (const steps of [-3, 3]) {
      const refused = await person.login({ code: app.code(steps) });
      expect(refused).toMatchObject({ ...wrong, events: WRONG_EVENTS });
    }
    const at = world.clock.nowMs() % STEP_MS;
    // Advances to the start of a step, so that the next thirty seconds are in the same step.
    world.clock.advance(STEP_MS - at);
    expect(await person.login({ code: app.code(-1) })).toMatchObject({ status: 200 });
    expect(await person.login({ code: app.code(1) })).toMatchObject({ status: 200 });
  });

  test("a code works once, and older codes than the last used one are rejected", async () => {
    const person = await somebody(world);
    const { app } = await withApp(world, person);
    world.clock.advance(2 * STEP_MS - (world.clock.nowMs() % STEP_MS));
    const [before, code] = [app.code(-1), app.code()];
    expect(await person.login({ code })).toMatchObject({ status: 200 });
    expect(await person.login({ code })).toMatchObject({ ...wrong, events: WRONG_EVENTS });
    expect(await person.login({ code: before })).toMatchObject(wrong);
    expect(await person.ask(RENEW, { code })).toMatchObject({
      status: 422,
      body: { code: "bad_code" },
      events: ["audit.mfa.failed"],
    });
  });

  test("the code that completed the enrollment cannot be used for a login", async () => {
    const person = await somebody(world);
    const { body } = await person.ask(ENROLL);
    const code = new App(body.data.secret, () => world.clock.nowMs()).next();
    expect(await person.ask(VERIFY, { code })).toMatchObject({ status: 200 });
    expect(await person.login({ code })).toMatchObject(wrong);
  });

  test("one of several concurrent logins with the same code succeeds", async () => {
    const person = await somebody(world);
    const { app } = await withApp(world, person);
    world.clock.advance(2 * STEP_MS);
    const code = app.code();
    const answers = await Promise.all([1, 2, 3, 4].map(() => person.login({ code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, events } of answers) {
      expect(events).toEqual(status === 200 ? ["audit.auth.login"] : WRONG_EVENTS);
    }
  });

  test("a wrong password with a valid code is a wrong password", async () => {
    const person = await somebody(world);
    const { app } = await withApp(world, person);
    const code = app.next();
    const refused = await person.login({ password: "not the password", code });
    expect(refused).toMatchObject({
      status: 401,
      body: { code: "bad_login" },
      events: ["audit.auth.login_failed"],
    });
    expect(await person.login({ code })).toMatchObject({ status: 200 });
  });

  test("ignores spaces in a code", async () => {
    const person = await somebody(world);
    const { app } = await withApp(world, person);
    const code = app.next();
    const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
    expect(await person.login({ code: spaced })).toMatchObject({ status: 200 });
  });
});

describe("recovery codes", () => {
  test("each works once, in any spelling, and its use is recorded", async () => {
    const person = await somebody(world);
    const { recoveryCodes } = await withApp(world, person);
    const [code = ""] = recoveryCodes;
    const used = ["audit.mfa.recovery_code_used", "audit.auth.login"];
    const shouted = code.toUpperCase().replace("-", " ");
    expect(await person.login({ code: shouted })).toMatchObject({ status: 200, events: used });
    expect(await person.login({ code })).toMatchObject({ ...wrong, events: WRONG_EVENTS });
    expect((await person.ask(STATUS)).body.data.recoveryCodesLeft).toBe(9);
    const both = await Promise.all([1, 2].map(() => person.login({ code: recoveryCodes[1] })));
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("a new set requires a second factor and replaces the old one", async () => {
    const person = await somebody(world);
    const { app, recoveryCodes } = await withApp(world, person);
    expect(await person.ask(RENEW)).toMatchObject({
      status: 403,
      body: { code: "second_factor_required", methods: ["totp", "recovery_code"] },
      events: [],
    });
    const renewed = await person.ask(RENEW, { code: app.next() });
    expect(renewed).toMatchObject({ status: 200, events: ["audit.mfa.recovery_codes_renewed"] });
    expect(await person.login({ code: recoveryCodes[0] })).toMatchObject(wrong);
    const [fresh] = renewed.body.data.recoveryCodes;
    expect(await person.login({ code: fresh })).toMatchObject({ status: 200 });
  });

  test("one replaces a lost app, and all are deleted with the last factor", async () => {
    const person = await somebody(world);
    const { recoveryCodes } = await withApp(world, person);
    expect(await person.ask(DISABLE, { code: recoveryCodes[0] })).toMatchObject({
      status: 204,
      events: ["audit.mfa.recovery_code_used", "audit.mfa.totp_removed"],
    });
    expect((await person.ask(STATUS)).body.data.recoveryCodesLeft).toBe(0);
    expect(await person.ask(RENEW, { code: recoveryCodes[1] })).toMatchObject({
      status: 409,
      body: { code: "mfa_not_enrolled" },
      events: [],
    });
  });

  test("neither they nor the secret are stored in plain text", async () => {
    const person = await somebody(world);
    const { body } = await person.ask(ENROLL);
    const app = new App(body.data.secret, () => world.clock.nowMs());
    const done = await person.ask(VERIFY, { code: app.next() });
    const tables = ["mfa_totp", "mfa_recovery_codes", "events", "idempotency_keys"];
    const dump = JSON.stringify(
      await Promise.all(
        tables.map((name) => world.sql(`select encode(t::text::bytea, 'escape') from ${name} t`)),
      ),
    );
    const [code] = done.body.data.recoveryCodes;
    const texts: string[] = [body.data.secret, code, code.replace("-", "")];
    const bytes = [app.secret, ...texts.map((text) => Buffer.from(text))];
    for (const form of [...texts, ...bytes.map((one) => one.toString("hex"))]) {
      expect(dump).not.toContain(form);
      expect(world.lines.join("\n")).not.toContain(form);
    }
  });
});

test("records the event in the oldest workspace and includes it in all audit logs", async () => {
  const person = await somebody(world, ["owner"]);
  const { body } = await person.ask("POST /api/v1/workspaces", { name: "Second home" });
  const { events } = await world.asToken(person.token)(ENROLL);
  expect(events).toEqual(["audit.mfa.totp_begun"]);
  const rows = await world.sql(
    "select workspace_id, actor_id, resource_id, data from events where type = $1 and actor_id = $2",
    ["audit.mfa.totp_begun", person.userId],
  );
  const about = {
    resource_id: person.userId,
    data: { userId: person.userId, address: "127.0.0.1" },
  };
  expect(rows).toMatchObject([{ workspace_id: world.home, ...about }]);
  const there = world.asToken(person.token, body.data.slug);
  const { body: shown } = await there("GET /api/v1/audit?type=audit.mfa.*");
  expect(shown.data).toMatchObject([
    { type: "audit.mfa.totp_begun", resource: { id: person.userId }, data: about.data },
  ]);
});

test("guesses are limited by account, at the login and after it", async () => {
  await using limited = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "3" } });
  const person = await somebody(limited);
  await withApp(limited, person);
  const tooMany = { status: 429, body: { code: "rate_limited" }, events: [] };
  const guess = { code: "000000x" };
  expect(await person.ask(RENEW, guess)).toMatchObject({ status: 422 });
  expect(await person.ask(RENEW, guess)).toMatchObject({ status: 422 });
  expect(await person.ask(RENEW, guess)).toMatchObject(tooMany);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect(await person.login(guess)).toMatchObject(wrong);
  }
  const refused = await person.login(guess);
  expect(refused).toMatchObject(tooMany);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  limited.clock.advance(60_000);
  expect(await person.login(guess)).toMatchObject(wrong);
});

test("a token, unlike a session, can't change second factors", async () => {
  const user = { id: "usr_00000000000000000000000000", email: "a@example.com", name: "A" };
  const actor = { id: user.id, name: user.name, type: "api_token" } as const;
  const kinds = domain({
    name: "other tokens",
    summary: "Credentials that are no sessions.",
    permissions: [],
    events: [],
    operations: [],
    contributions: [
      contribute(
        CredentialSourcePoint,
        ...(["api_token", "oauth"] as const).map((kind) => ({
          prefix: `test_${kind}`,
          kind,
          lock: async () => true,
          forgetsOn: { person: [], workspace: [] },
          find: async () => ({
            credential: { id: kind, kind, actor, user, memberships: new Map() },
            expiresAtMs: Number.MAX_SAFE_INTEGER,
          }),
        })),
      ),
    ],
  });
  await using other = await startWorld({ domains: [...domains, kinds] });
  const refused = { status: 403, body: { code: "session_required" }, events: [] };
  for (const kind of ["api_token", "oauth"]) {
    const ask = other.asToken(`test_${kind}`);
    for (const route of [STATUS, "GET /api/v1/auth/mfa/webauthn", ENROLL, DISABLE, RENEW]) {
      expect(await ask(route)).toMatchObject(refused);
    }
    expect(await ask(VERIFY, { code: "123456" })).toMatchObject(refused);
    expect(await ask("POST /api/v1/auth/mfa/webauthn/register")).toMatchObject(refused);
    const key = "wac_00000000000000000000000000";
    expect(await ask(`POST /api/v1/auth/mfa/webauthn/${key}/remove`)).toMatchObject(refused);
  }
});
