import { expect, test } from "vitest";
import { toOutboundFailure, OutboundFailed } from "./error.ts";

const withCode = (code: string): Error => Object.assign(new Error("broken"), { code });

test.each([
  ["ECONNREFUSED", true],
  ["ENOTFOUND", true],
  ["EAI_AGAIN", true],
  ["EHOSTUNREACH", true],
  ["UND_ERR_CONNECT_TIMEOUT", true],
  ["ECONNRESET", false],
  ["EPIPE", false],
  ["UND_ERR_SOCKET", false],
  ["ETIMEDOUT", false],
  ["CERT_HAS_EXPIRED", false],
])("%s means unsent: %s", (code, unsent) => {
  expect(toOutboundFailure(withCode(code), "GET https://x")).toMatchObject({ unsent });
});

test("a request that timed out may have been sent", () => {
  expect(new OutboundFailed("timeout", "late").unsent).toBe(false);
});
