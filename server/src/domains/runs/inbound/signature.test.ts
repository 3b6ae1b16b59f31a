import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isSigned, type SignatureRule } from "./signature.ts";

const NOW_MS = 1_700_000_000_000;
const secret = "{{secrets.KEY}}";
const signed = (
  body: string,
  header: string | undefined,
  more: Partial<SignatureRule> & { key?: string },
) => {
  const { key = "key", ...rule } = more;
  const bytes = Buffer.from(body);
  return isSigned({ bytes, header, nowMs: NOW_MS }, key, { secret, ...rule });
};
const hmac = (algorithm: string, text: string): Buffer =>
  createHmac(algorithm, "key").update(text).digest();

describe("a signature", () => {
  // Example from the GitHub documentation.
  const key = "It's a Secret to Everybody";
  const digest = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const prefix = "sha256=";

  test.each<[string, string | undefined, boolean]>([
    ["in the format of GitHub", `sha256=${digest}`, true],
    ["in upper case", `sha256=${digest.toUpperCase()}`, true],
    ["among several signatures", `sha256=${"0".repeat(64)}, sha256=${digest}`, true],
    ["without its prefix", digest, false],
    ["with another prefix", `sha1=${digest}`, false],
    ["with a digit changed", `sha256=${digest.replace(/7$/, "8")}`, false],
    ["truncated", `sha256=${digest.slice(0, -2)}`, false],
    ["with additional digits", `sha256=${digest}00`, false],
    ["with an empty digest", "sha256=", false],
    ["empty", "", false],
    ["missing", undefined, false],
  ])("%s", (_, header, expected) => {
    expect(signed("Hello, World!", header, { key, prefix })).toBe(expected);
    expect(signed("Hello, World! ", header, { key, prefix })).toBe(false);
  });
});

test.each(["sha256", "sha512", "sha1"] as const)("uses %s, in hex and in base64", (algorithm) => {
  for (const encoding of ["hex", "base64"] as const) {
    const rule = { algorithm, encoding };
    expect(signed("text", hmac(algorithm, "text").toString(encoding), rule)).toBe(true);
    expect(signed("text", hmac(algorithm, "other").toString(encoding), rule)).toBe(false);
  }
});

test.each<[string, number, boolean]>([
  ["now", 0, true],
  ["minutes ago", 299, true],
  ["too long ago", 301, false],
  ["slightly in the future", -299, true],
  ["too far in the future", -301, false],
])("a signed timestamp in the header (Stripe): %s", (_, ageSeconds, expected) => {
  const seconds = NOW_MS / 1_000 - ageSeconds;
  const v1 = hmac("sha256", `${seconds}.{"id":"evt_1"}`).toString("hex");
  const rule = { timestamped: true, prefix: "v1=" };
  expect(signed('{"id":"evt_1"}', `t=${seconds},v1=${v1},v0=${v1}`, rule)).toBe(expected);
  expect(signed('{"id":"evt_1"}', `t=${seconds + 1},v1=${v1}`, rule)).toBe(false);
  expect(signed('{"id":"evt_1"}', `v1=${v1}`, rule)).toBe(false);
  expect(signed('{"id":"evt_1"}', `t=${seconds},v0=${v1}`, rule)).toBe(false);
});
