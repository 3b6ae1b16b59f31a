import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { isSignedBy, SIGNATURE_PRESETS, type SignatureForm } from "./signature-form.ts";

const KEY = "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0";
const NOW_MS = 1_700_000_000_000;
const BODY = '{"id":"evt_1"}';
const URL_OF_HOOK = "https://example.com/connector-hooks/abc";

const hmac = (
  text: string,
  encoding: "hex" | "base64",
  key: string | Buffer = KEY,
  algorithm = "sha256",
) => createHmac(algorithm, key).update(text).digest(encoding);
const seconds = String(NOW_MS / 1_000);

/** The headers that each sender would send at this time. */
const HEADERS: Readonly<Record<string, Record<string, string>>> = {
  github: { "x-hub-signature-256": `sha256=${hmac(BODY, "hex")}` },
  gitlab: { "x-gitlab-token": KEY },
  stripe: { "stripe-signature": `t=${seconds},v0=old,v1=${hmac(`${seconds}.${BODY}`, "hex")}` },
  slack: {
    "x-slack-signature": `v0=${hmac(`v0:${seconds}:${BODY}`, "hex")}`,
    "x-slack-request-timestamp": seconds,
  },
  shopify: { "x-shopify-hmac-sha256": hmac(BODY, "base64") },
  standard_webhooks: {
    "webhook-id": "msg_1",
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,wrong v1,${hmac(`msg_1.${seconds}.${BODY}`, "base64", Buffer.from(KEY.slice(6), "base64"))}`,
  },
  meta: { "x-hub-signature-256": `sha256=${hmac(BODY, "hex")}` },
  telegram: { "x-telegram-bot-api-secret-token": KEY },
  typeform: { "typeform-signature": `sha256=${hmac(BODY, "base64")}` },
  hubspot: {
    "x-hubspot-signature-v3": hmac(`POST${URL_OF_HOOK}${BODY}${NOW_MS}`, "base64"),
    "x-hubspot-request-timestamp": String(NOW_MS),
  },
  basic: { authorization: `Basic ${Buffer.from(`millrace:${KEY}`).toString("base64")}` },
};

const check = (form: SignatureForm, headers: Record<string, string>, more: object = {}) =>
  isSignedBy(form, KEY, {
    method: "POST",
    url: URL_OF_HOOK,
    bytes: Buffer.from(BODY),
    headers,
    nowMs: NOW_MS,
    ...more,
  });

test.each(Object.entries(HEADERS))(
  "%s: accepts only a recent request with a valid signature",
  (name, headers) => {
    const form = SIGNATURE_PRESETS.get(name);
    if (!form) throw new Error(name);
    expect(check(form, headers)).toBe(true);
    expect(check(form, {})).toBe(false);
    expect(
      isSignedBy(form, "", {
        method: "POST",
        url: URL_OF_HOOK,
        bytes: Buffer.from(BODY),
        headers,
        nowMs: NOW_MS,
      }),
    ).toBe(false);
    const spoiled = Object.fromEntries(
      Object.entries(headers).map(([key, value]) => [key, `${value}0`]),
    );
    expect(check(form, spoiled)).toBe(false);
    if (form.scheme === "hmac")
      expect(check(form, headers, { bytes: Buffer.from("{}") })).toBe(false);
    if (form.timestamp) expect(check(form, headers, { nowMs: NOW_MS + 301_000 })).toBe(false);
  },
);

test("a Twilio signature covers the address and the sorted fields", () => {
  const form = SIGNATURE_PRESETS.get("twilio");
  if (!form) throw new Error("twilio");
  const signature = hmac(`${URL_OF_HOOK}BodyhiTo+1`, "base64", KEY, "sha1");
  const bytes = Buffer.from("To=%2B1&Body=hi");
  expect(check(form, { "x-twilio-signature": signature }, { bytes })).toBe(true);
});
