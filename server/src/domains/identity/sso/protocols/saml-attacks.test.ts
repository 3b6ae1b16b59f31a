import { afterEach, expect, test } from "vitest";
import { startWorld, useWorld } from "#kernel/testing/world.ts";
import { STRANGER_KEY } from "../testing/keys.ts";
import {
  type AnswerDraft,
  decode,
  encode,
  SamlProvider,
  type Signed,
} from "../testing/saml-provider.ts";
import { ADA, beginLogin, postAnswer, refusals, samlWorkspace } from "../testing/workspace.ts";
import { wrap, WRAPPINGS } from "../testing/signature-wrapping-attack.ts";

const world = await useWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
const place = await samlWorkspace(world);
afterEach(async () => {
  // Only single sign-on creates confined sessions.
  expect(await world.sql("select id from sessions where confined_to is not null")).toEqual([]);
});

/** Every rejection shows a page without details, records an event with the reason, and starts no session. */
async function expectRefused(
  form: Readonly<Record<string, string>>,
  reason: string,
  detail: RegExp | string = /./,
): Promise<void> {
  const before = await refusals(world, place.key);
  const answer = await postAnswer(world, place.slug, form);
  expect(answer).toMatchObject({ status: 403, events: ["audit.sso.login_failed"] });
  expect(answer.headers["set-cookie"]).toBeUndefined();
  expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
  const told = (await refusals(world, place.key)).slice(before.length);
  expect(told).toMatchObject([{ reason, protocol: "saml2", address: "127.0.0.1" }]);
  expect(told[0]?.["detail"]).toMatch(detail);
  expect(answer.body).not.toContain(told[0]?.["detail"]);
}

async function answered(change: Partial<AnswerDraft> = {}, signed: Signed = "assertion") {
  const { location } = await beginLogin(world, place.slug);
  return place.provider.answer(location, { attributes: ADA, ...change }, signed);
}

test("rejects an unsigned assertion", async () => {
  await expectRefused(await answered({}, "nothing"), "answer_rejected", "Invalid signature");
});

test("rejects a response whose signature does not cover the assertion", async () => {
  await expectRefused(await answered({}, "response"), "answer_rejected", "Invalid signature");
});

test("rejects a signature by another key, regardless of the included certificate", async () => {
  const stranger = new SamlProvider(place.metadata, STRANGER_KEY);
  const { location } = await beginLogin(world, place.slug);
  const form = await stranger.answer(location, { attributes: ADA });
  expect(decode(form.SAMLResponse)).toContain("X509Certificate");
  await expectRefused(form, "answer_rejected", "Invalid signature");
});

test("rejects a response for another audience, recipient or destination", async () => {
  const elsewhere = "https://other.example.com/acs";
  await expectRefused(
    await answered({ audience: "https://other.example.com" }),
    "answer_rejected",
    /audience mismatch/,
  );
  await expectRefused(await answered({ recipient: elsewhere }), "recipient_wrong", /Recipient/);
  await expectRefused(await answered({ destination: elsewhere }), "recipient_wrong", /Destination/);
});

test("rejects a response of another issuer", async () => {
  const form = await answered({ issuer: "https://other.example.com" });
  await expectRefused(form, "issuer_wrong");
});

test("rejects an expired or not yet valid response", async () => {
  const nowMs = world.clock.nowMs();
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  await expectRefused(
    await answered({ notBefore: at(-600_000), notOnOrAfter: at(-120_000) }),
    "answer_rejected",
    /expired/,
  );
  await expectRefused(await answered({ notBefore: at(120_000) }), "answer_rejected", /not yet/);
});

test("rejects a response to an unknown request, or to none", async () => {
  await expectRefused(await answered({ inResponseTo: "_unknown" }), "request_unknown");
  await expectRefused(await answered({ subjectInResponseTo: "_unknown" }), "request_unknown");
  // The envelope is not signed, so the value in the assertion counts.
  const form = await answered({ inResponseTo: "_unknown" });
  const hidden = decode(form.SAMLResponse).replace(' InResponseTo="_unknown">', ">");
  await expectRefused({ ...form, SAMLResponse: encode(hidden) }, "request_unknown");
});

test("rejects an invalid, foreign or missing RelayState", async () => {
  const { SAMLResponse } = await answered();
  await expectRefused({ SAMLResponse, RelayState: "wrong" }, "request_unknown");
  await expectRefused({ SAMLResponse }, "request_unknown");
  const { RelayState } = await answered();
  await expectRefused({ SAMLResponse, RelayState }, "request_unknown", /another request/);
});

test("rejects a late response", async () => {
  await using later = await startWorld();
  const { slug, key, provider } = await samlWorkspace(later);
  const { location } = await beginLogin(later, slug);
  later.clock.advance(601_000);
  const form = await provider.answer(location, { attributes: ADA, nowMs: later.clock.nowMs() });
  expect(await postAnswer(later, slug, form)).toMatchObject({ status: 403 });
  expect(await refusals(later, key)).toMatchObject([{ reason: "request_unknown" }]);
});

test("a response works once, and so does an assertion even if its request were open again", async () => {
  await using replayed = await startWorld();
  const { slug, key, provider } = await samlWorkspace(replayed);
  const { location } = await beginLogin(replayed, slug);
  const [request] = await replayed.sql("select * from sso_requests");
  const form = await provider.answer(location, { attributes: ADA });
  // One of two concurrent responses succeeds.
  const both = await Promise.all([
    postAnswer(replayed, slug, form),
    postAnswer(replayed, slug, form),
  ]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 403]);
  expect(await postAnswer(replayed, slug, form)).toMatchObject({ status: 403 });
  await replayed.sql(
    `insert into sso_requests (state_hash, workspace_id, browser_hash, details, expires_at)
     values ($1, $2, $3, $4, $5)`,
    [request.state_hash, key, request.browser_hash, request.details, request.expires_at],
  );
  expect(await postAnswer(replayed, slug, form)).toMatchObject({ status: 403 });
  const reasons = (await refusals(replayed, key)).map(({ reason }) => reason);
  expect(reasons).toEqual(["request_unknown", "request_unknown", "answer_replayed"]);
});

test("the wrapping helper keeps a valid response valid", async () => {
  await using control = await startWorld();
  const { slug, provider } = await samlWorkspace(control);
  const { location } = await beginLogin(control, slug);
  const form = await provider.answer(location, { attributes: ADA });
  const SAMLResponse = wrap(form.SAMLResponse, ({ xml }) => xml, ["ada", "bob"]);
  expect(await postAnswer(control, slug, { ...form, SAMLResponse })).toMatchObject({ status: 303 });
});

test.each(Object.entries(WRAPPINGS))("signature wrapping is refused: %s", async (_, wrapping) => {
  const form = await answered({ attributes: { mail: ["mallory@example.com"] } });
  const victim = ["mallory@example.com", "ada@example.com"] as const;
  const SAMLResponse = wrap(form.SAMLResponse, wrapping, victim);
  await expectRefused({ ...form, SAMLResponse }, "answer_rejected");
});

test("rejects a comment in an address or NameID, at any position where parsers would cut", async () => {
  const address = "ada@example.com.mallory.example";
  const form = await answered({ attributes: { mail: [address] }, nameId: address });
  for (const hole of ["<!-- -->", "<![CDATA[]]>", "<?cut?>"]) {
    const xml = decode(form.SAMLResponse).replaceAll(
      address,
      `ada@example.com${hole}.mallory.example`,
    );
    const again = await answered();
    const bent = { ...again, SAMLResponse: encode(xml) };
    await expectRefused(bent, "answer_malformed", /comment/);
  }
});

test("rejects document types and entities before parsing", async () => {
  const bomb =
    `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">` +
    `<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>`;
  const file = `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>`;
  for (const declaration of [bomb, file]) {
    const form = await answered();
    const xml = declaration + decode(form.SAMLResponse).replace("Ada", "&a;");
    await expectRefused({ ...form, SAMLResponse: encode(xml) }, "answer_malformed");
  }
});

test("rejects a response that is expensive to read before parsing it", async () => {
  const form = await answered();
  for (const weight of ["<a/>".repeat(2_000), `<a ${'b="" '.repeat(4_000)}/>`]) {
    const { RelayState } = await answered();
    const xml = decode(form.SAMLResponse).replace("<saml:Issuer>", `${weight}<saml:Issuer>`);
    const heavy = { RelayState, SAMLResponse: encode(xml) };
    await expectRefused(heavy, "answer_malformed", /too many/);
  }
});

test("rejects input that is not a SAML response", async () => {
  for (const [SAMLResponse, reason] of [
    ["not base64!", "answer_malformed"],
    [Buffer.from([0xff, 0xfe, 0x00]).toString("base64"), "answer_malformed"],
    [encode("<a><b></a>"), "answer_rejected"],
    [encode("<html/>"), "answer_rejected"],
    [encode("plain text"), "answer_rejected"],
  ] as const) {
    const { RelayState } = await answered();
    await expectRefused({ SAMLResponse, RelayState }, reason);
  }
});

test("rejects a SHA-1 signature", async () => {
  const form = await answered();
  const weak = decode(form.SAMLResponse).replaceAll(
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
  );
  await expectRefused({ ...form, SAMLResponse: encode(weak) }, "answer_rejected", /SHA-1/);
});

test("rejects missing, multiple and invalid e-mail addresses", async () => {
  for (const mail of [
    [],
    ["ada@example.com", "bob@example.com"],
    ["ada"],
    ["ada bob@example.com"],
  ]) {
    await expectRefused(await answered({ attributes: { mail } }), "email_missing");
  }
});

test("a rejection by the identity provider is recorded as such", async () => {
  const form = await answered({ status: "urn:oasis:names:tc:SAML:2.0:status:Responder" });
  const xml = decode(form.SAMLResponse).replace(/<saml:Assertion .*<\/saml:Assertion>/s, "");
  await expectRefused({ ...form, SAMLResponse: encode(xml) }, "provider_refused", /Responder/);
});

test("a failure status counts, even with a valid assertion", async () => {
  const failed = { status: "urn:oasis:names:tc:SAML:2.0:status:Responder" };
  await expectRefused(await answered(failed), "provider_refused", /status:Responder\.$/);
  const form = await answered(failed);
  const told = decode(form.SAMLResponse).replace(
    "</samlp:Status>",
    "<samlp:StatusMessage> Not today </samlp:StatusMessage></samlp:Status>",
  );
  const SAMLResponse = encode(told);
  await expectRefused({ ...form, SAMLResponse }, "provider_refused", /Responder: Not today\.$/);
});
