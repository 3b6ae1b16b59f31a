import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { type Received, startReceiver } from "./testing/receiver.ts";
import { hmacSha256 } from "./testing/hmac.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ env: receiver.env });
const owner = await world.member(["owner"]);

const HOOKS = "/api/v1/webhooks";

async function made(more: object = {}): Promise<string> {
  const draft = { name: "Signed", url: receiver.url, events: ["*"], ...more };
  return (await owner(`POST ${HOOKS}`, draft)).body.data.id;
}

/** Sends a ping, and returns the received request. */
async function pinged(id: string): Promise<Received & { readonly sent: Record<string, string> }> {
  expect((await owner(`POST ${HOOKS}/${id}/test`)).body).toMatchObject({ status: 200 });
  const received = receiver.received.at(-1);
  if (!received) throw new Error("Nothing came.");
  return { ...received, sent: received.headers as Record<string, string> };
}

const bytes = (text: string): Buffer => Buffer.from(text);
const hex = (digest: Uint8Array): string => Buffer.from(digest).toString("hex");
const base64 = (digest: Uint8Array): string => Buffer.from(digest).toString("base64");
const own = (secret: string, { text }: Received): string =>
  `sha256=${hex(hmacSha256(bytes(secret), bytes(text)))}`;

/** RFC 4231, test cases 1, 2, 3, 6 and 7: they verify the test implementation, which verifies the product. */
test.each([
  [
    "0b".repeat(20),
    hex(bytes("Hi There")),
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  ],
  [
    hex(bytes("Jefe")),
    hex(bytes("what do ya want for nothing?")),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  ],
  [
    "aa".repeat(20),
    "dd".repeat(50),
    "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
  ],
  [
    "aa".repeat(131),
    hex(bytes("Test Using Larger Than Block-Size Key - Hash Key First")),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  ],
  [
    "aa".repeat(131),
    hex(
      bytes(
        "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
      ),
    ),
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
  ],
])("the independent HMAC agrees with RFC 4231", (key, text, expected) => {
  expect(hex(hmacSha256(Buffer.from(key, "hex"), Buffer.from(text, "hex")))).toBe(expected);
});

test.each([
  ["plain words", "between us"],
  ["one character", "x"],
  ["letters beyond ASCII", "Schlüssel ключ 鍵 🔑"],
  ["longer than a block of the hash", "k".repeat(500)],
  ["in the form of Standard Webhooks", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
])("the exact bytes of the body are signed: %s", async (_, secret) => {
  const got = await pinged(await made({ secret, name: 'Ω ünïcode " \\ \u2028' }));
  expect(got.sent["x-service-signature-256"]).toBe(own(secret, got));
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : bytes(secret);
  const signed = `${got.sent["webhook-id"]}.${got.sent["webhook-timestamp"]}.${got.text}`;
  expect(got.sent["webhook-signature"]).toBe(`v1,${base64(hmacSha256(key, bytes(signed)))}`);
  expect(got.sent["webhook-id"]).toBe(got.body.id);
  expect(got.sent["x-service-delivery"]).toBe(got.body.id);
});

test("only the correct signature passes the official Standard Webhooks verifier", async () => {
  const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
  const got = await pinged(await made({ secret }));
  expect(new Verifier(secret).verify(got.text, got.sent)).toEqual(got.body);
  const other = new Verifier("whsec_AAAAsBQIhrscChlQIMV+b5sSYspob7oD");
  expect(() => other.verify(got.text, got.sent)).toThrow("No matching signature");
  expect(() => new Verifier(secret).verify(`${got.text} `, got.sent)).toThrow("No matching");
  const moved = { ...got.sent, "webhook-id": "dlv_another" };
  expect(() => new Verifier(secret).verify(got.text, moved)).toThrow("No matching signature");
});

test("a secret in plain text is the raw key of Standard Webhooks", async () => {
  const got = await pinged(await made({ secret: "between us" }));
  const verifier = new Verifier("between us", { format: "raw" });
  expect(verifier.verify(got.text, got.sent)).toEqual(got.body);
});

test("nothing is signed without a secret", async () => {
  const got = await pinged(await made());
  expect(Object.keys(got.sent).filter((name) => name.includes("signature"))).toEqual([]);
  expect(got.sent["x-service-event"]).toBe("webhook.ping");
});

test("after a rotation both secrets sign for a day, and then only the new one", async () => {
  const first = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
  const id = await made({ secret: first });
  const rotated = await owner(`POST ${HOOKS}/${id}/secret/rotate`);
  expect(rotated).toMatchObject({ status: 200, events: ["webhook.secret_rotated"] });
  const { secret: second, previousSecretExpiresAt } = rotated.body.data;
  expect(second).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const leftMs = Date.parse(previousSecretExpiresAt) - world.clock.nowMs();
  expect(Math.abs(leftMs - 24 * 3_600_000)).toBeLessThan(60_000);

  const both = await pinged(id);
  for (const secret of [first, second]) {
    expect(new Verifier(secret).verify(both.text, both.sent)).toEqual(both.body);
  }
  expect(both.sent["x-service-signature-256"]).toBe(own(second, both));
  expect(both.sent["x-service-signature-256-previous"]).toBe(own(first, both));

  await world.sql(
    "update webhooks set previous_secret_until = previous_secret_until - interval '25 hours' where id = $1",
    [id],
  );
  const later = await pinged(id);
  expect(new Verifier(second).verify(later.text, later.sent)).toEqual(later.body);
  expect(() => new Verifier(first).verify(later.text, later.sent)).toThrow("No matching signature");
  expect(later.sent).not.toHaveProperty("x-service-signature-256-previous");
});

test("the last two of three secrets sign", async () => {
  const [first, second, third] = ["the first one", "the second one", "the third one"];
  const id = await made({ secret: first });
  for (const secret of [second, third]) {
    const { body } = await owner(`POST ${HOOKS}/${id}/secret/rotate`, { secret });
    expect(body.data.secret).toBe(secret);
  }
  const got = await pinged(id);
  expect(got.sent["webhook-signature"]?.split(" ")).toHaveLength(2);
  expect(got.sent["x-service-signature-256"]).toBe(own(third ?? "", got));
  expect(got.sent["x-service-signature-256-previous"]).toBe(own(second ?? "", got));
});

test("the first secret set by a rotation has no predecessor", async () => {
  const id = await made();
  const { body } = await owner(`POST ${HOOKS}/${id}/secret/rotate`, {});
  expect(body.data.previousSecretExpiresAt).toBeNull();
  const got = await pinged(id);
  expect(new Verifier(body.data.secret).verify(got.text, got.sent)).toEqual(got.body);
});

test("a secret replaced or removed by PATCH is no longer used", async () => {
  const id = await made({ secret: "the first one" });
  await owner(`POST ${HOOKS}/${id}/secret/rotate`, { secret: "the second one" });
  const changed = await owner(`PATCH ${HOOKS}/${id}`, { secret: "the third one" });
  expect(changed.body.data).toMatchObject({ hasSecret: true, previousSecretExpiresAt: null });
  const got = await pinged(id);
  expect(got.sent["x-service-signature-256"]).toBe(own("the third one", got));
  expect(got.sent["webhook-signature"]?.split(" ")).toHaveLength(1);
  const removed = await owner(`PATCH ${HOOKS}/${id}`, { secret: null });
  expect(removed.body.data.hasSecret).toBe(false);
  expect((await pinged(id)).sent).not.toHaveProperty("webhook-signature");
});

test.each(["whsec_", "whsec_====", "whsec_!!"])(
  "rejects a secret with an empty key: %s",
  async (secret) => {
    const refused = {
      status: 422,
      body: { errors: [{ path: "/secret", message: "must have a key in base64 after whsec_" }] },
      events: [],
    };
    const draft = { name: "Signed", url: receiver.url, events: ["*"], secret };
    expect(await owner(`POST ${HOOKS}`, draft)).toMatchObject(refused);
    const id = await made();
    expect(await owner(`PATCH ${HOOKS}/${id}`, { secret })).toMatchObject(refused);
    expect(await owner(`POST ${HOOKS}/${id}/secret/rotate`, { secret })).toMatchObject(refused);
  },
);
