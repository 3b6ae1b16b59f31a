import { expect, test } from "vitest";
import { startWorld, until, useWorld } from "#kernel/testing/world.ts";
import { SoftwareAuthenticator, type Tampering } from "./testing/authenticator.ts";
import { somebody, type Somebody, withApp, withKey } from "./testing/people.ts";

const REGISTER = "POST /api/v1/auth/mfa/webauthn/register";
const LIST = "GET /api/v1/auth/mfa/webauthn";
const STATUS = "GET /api/v1/auth/mfa/status";
const RENEW = "POST /api/v1/auth/mfa/recovery-codes";

const wrong = {
  status: 401,
  body: { code: "bad_second_factor" },
  events: ["audit.mfa.failed", "audit.auth.login_failed"],
};
const refused = { status: 422, body: { code: "bad_credential" }, events: ["audit.mfa.failed"] };

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

async function optionsFor(person: Somebody) {
  return (await person.login()).body.options;
}

test("a security key is registered, logs in, and is removed", async () => {
  const person = await somebody(world);
  const begun = await person.ask(REGISTER);
  expect(begun).toMatchObject({ status: 200, events: ["audit.mfa.webauthn_begun"] });
  expect(begun.body.data).toMatchObject({
    rp: { id: "localhost", name: "Millrace" },
    user: { name: person.email, displayName: "Somebody" },
    attestation: "none",
    authenticatorSelection: { userVerification: "preferred" },
    excludeCredentials: [],
    timeout: 300_000,
  });
  expect(await person.login()).toMatchObject({ status: 200 });

  const key = new SoftwareAuthenticator();
  const credential = key.create(begun.body.data);
  const stored = await person.ask(REGISTER, { credential, name: "Blue key" });
  expect(stored).toMatchObject({ status: 200, events: ["audit.mfa.webauthn_registered"] });
  const { id, recoveryCodes } = stored.body.data;
  expect(recoveryCodes).toHaveLength(10);
  expect((await person.ask(STATUS)).body.data).toEqual({
    totp: false,
    webauthn: true,
    recoveryCodesLeft: 10,
    enforced: false,
  });

  const asked = await person.login();
  expect(asked).toMatchObject({
    status: 401,
    body: {
      code: "mfa_required",
      methods: ["webauthn", "recovery_code"],
      options: {
        rpId: "localhost",
        userVerification: "preferred",
        allowCredentials: [{ id: credential.id, type: "public-key", transports: ["usb"] }],
      },
    },
    events: ["audit.mfa.challenged"],
  });
  const assertion = key.get(asked.body.options);
  const within = await person.login({ assertion });
  expect(within).toMatchObject({ status: 200, events: ["audit.auth.login"] });
  expect(await person.login({ assertion })).toMatchObject(wrong);

  const { body: list } = await person.ask(LIST);
  expect(list.data).toMatchObject([{ id, name: "Blue key", lastUsedAt: expect.any(String) }]);
  const remove = `POST /api/v1/auth/mfa/webauthn/${id}/remove`;
  const demanded = await person.ask(remove);
  expect(demanded).toMatchObject({ status: 403, body: { code: "second_factor_required" } });
  const gone = await person.ask(remove, { assertion: key.get(demanded.body.options) });
  expect(gone).toMatchObject({ status: 204, events: ["audit.mfa.webauthn_removed"] });
  expect(await person.login()).toMatchObject({ status: 200, events: ["audit.auth.login"] });
});

test("supports several keys and an app together; recovery codes are created with the first", async () => {
  const person = await somebody(world);
  const { app } = await withApp(world, person);
  const blue = await withKey(person, "Blue key");
  const red = await withKey(person, "Red key");
  expect(blue.recoveryCodes).toBeUndefined();
  const { body } = await person.login();
  expect(body.methods).toEqual(["totp", "webauthn", "recovery_code"]);
  expect(body.options.allowCredentials).toHaveLength(2);
  for (const { key } of [red, blue]) {
    const assertion = key.get(await optionsFor(person));
    expect(await person.login({ assertion })).toMatchObject({ status: 200 });
  }
  const first = await person.ask(`${LIST}?limit=1`);
  expect(first.body.data).toMatchObject([{ id: blue.id }]);
  const rest = await person.ask(`${LIST}?limit=1&after=${first.body.pagination.nextCursor}`);
  expect(rest.body).toMatchObject({ data: [{ id: red.id }], pagination: { hasMore: false } });
  const { body: again } = await person.ask(REGISTER);
  expect(again.data.excludeCredentials).toHaveLength(2);

  const remove = `POST /api/v1/auth/mfa/webauthn/${red.id}/remove`;
  expect(await person.ask(remove, { code: app.next() })).toMatchObject({ status: 204 });
  const assertion = red.key.get(await optionsFor(person));
  expect(await person.login({ assertion })).toMatchObject(wrong);
});

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  "from another origin": { origin: "http://evil.example" },
  "for another relying party": { rpId: "evil.example" },
  "to another challenge": { challenge: "bm90IG91cnM" },
  "of another kind": { type: "payment.get" },
  "without anybody present": { flags: 0 },
};

test.each(Object.entries(TAMPERINGS))("an answer %s is refused", async (_, tampering) => {
  const person = await somebody(world);
  const { body } = await person.ask(REGISTER);
  const key = new SoftwareAuthenticator();
  const bad = key.create(body.data, tampering);
  expect(await person.ask(REGISTER, { credential: bad })).toMatchObject(refused);
  const credential = key.create(body.data);
  expect(await person.ask(REGISTER, { credential })).toMatchObject({ status: 200 });

  const options = await optionsFor(person);
  const forged = key.get(options, tampering);
  expect(await person.login({ assertion: forged })).toMatchObject(wrong);
  expect(await person.login({ assertion: key.get(options) })).toMatchObject({ status: 200 });
});

test("rejects a signature by another key, and invalid bytes", async () => {
  const person = await somebody(world);
  const { key } = await withKey(person);
  const options = await optionsFor(person);
  const own = key.get(options);
  const other = new SoftwareAuthenticator().get(options);
  const forged = { ...own, response: { ...own.response, signature: other.response.signature } };
  const broken = { ...own, response: { ...own.response, clientDataJSON: "e30", signature: "!" } };
  for (const assertion of [other, forged, broken]) {
    expect(await person.login({ assertion })).toMatchObject(wrong);
  }
});

test("a challenge belongs to one person and one purpose, for five minutes", async () => {
  const [person, other] = [await somebody(world), await somebody(world)];
  const [{ key }, { key: otherKey }] = [await withKey(person), await withKey(other)];
  const foreign = otherKey.get(await optionsFor(person));
  expect(await other.login({ assertion: foreign })).toMatchObject(wrong);

  const { body } = await person.ask(REGISTER);
  const assertion = key.get({ challenge: body.data.challenge, rpId: "localhost" });
  expect(await person.login({ assertion })).toMatchObject(wrong);
  const fresh = new SoftwareAuthenticator();
  const late = fresh.create(body.data);
  const options = await optionsFor(person);
  world.clock.advance(5 * 60_000 + 1);
  expect(await person.ask(REGISTER, { credential: late })).toMatchObject(refused);
  expect(await person.login({ assertion: key.get(options) })).toMatchObject(wrong);
});

test("one of several concurrent logins with the same assertion succeeds", async () => {
  const person = await somebody(world);
  const { key } = await withKey(person);
  const assertion = key.get(await optionsFor(person));
  const answers = await Promise.all([1, 2, 3].map(() => person.login({ assertion })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("a counter that does not increase reveals a cloned authenticator", async () => {
  const person = await somebody(world);
  const { key } = await withKey(person);
  key.counter = 10;
  const first = key.get(await optionsFor(person));
  expect(await person.login({ assertion: first })).toMatchObject({ status: 200 });
  key.counter = 5;
  const copied = key.get(await optionsFor(person));
  expect(await person.login({ assertion: copied })).toMatchObject(wrong);
});

test("an authenticator without a counter can log in repeatedly", async () => {
  const person = await somebody(world);
  const { key } = await withKey(person);
  for (let login = 1; login <= 2; login += 1) {
    key.counter = -1;
    const assertion = key.get(await optionsFor(person));
    expect(await person.login({ assertion })).toMatchObject({ status: 200 });
  }
});

test("a credential can be registered only once, for one account", async () => {
  const [person, other] = [await somebody(world), await somebody(world)];
  const { key } = await withKey(person);
  const { body } = await other.ask(REGISTER);
  const taken = await other.ask(REGISTER, { credential: key.create(body.data) });
  expect(taken).toMatchObject({
    status: 409,
    body: { code: "credential_registered" },
    events: [],
  });
});

test("credentials of other accounts cannot be seen or removed", async () => {
  const [person, other] = [await somebody(world), await somebody(world)];
  const { id } = await withKey(person);
  const { app } = await withApp(world, other);
  expect((await other.ask(LIST)).body.data).toEqual([]);
  const remove = `POST /api/v1/auth/mfa/webauthn/${id}/remove`;
  expect(await other.ask(remove, { code: app.next() })).toMatchObject({ status: 404, events: [] });
});

test("limits an account to twenty credentials", async () => {
  const person = await somebody(world);
  for (let index = 1; index <= 20; index += 1) await withKey(person, `Key ${index}`);
  expect(await person.ask(REGISTER)).toMatchObject({
    status: 409,
    body: { code: "too_many_credentials" },
    events: [],
  });
});

test("an assertion renews the recovery codes", async () => {
  const person = await somebody(world);
  const { key } = await withKey(person);
  const { body } = await person.ask(RENEW);
  const renewed = await person.ask(RENEW, { assertion: key.get(body.options) });
  expect(renewed).toMatchObject({ status: 200, events: ["audit.mfa.recovery_codes_renewed"] });
  expect(renewed.body.data.recoveryCodes).toHaveLength(10);
});

test("expired challenges are pruned", async () => {
  await using working = await startWorld({ work: true });
  const { ask } = await somebody(working);
  await ask(REGISTER);
  const left = async () => (await working.sql("select from webauthn_challenges")).length;
  expect(await left()).toBe(1);
  working.clock.advance(60 * 60_000);
  await until(async () => (await left()) === 0);
});
