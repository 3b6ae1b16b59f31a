import { expect, test } from "vitest";
import { decodeText } from "./file-head.ts";

test("text is decoded in its encoding, complete or truncated, and binary content is not decoded", () => {
  const text = "grüß 😀";
  const bytes = new TextEncoder().encode(text);
  expect(decodeText(bytes)).toBe(text);
  expect(decodeText(bytes.subarray(0, -1))).toBe("grüß ");
  expect(decodeText(new Uint8Array([0x67, 0x72, 0xfc, 0xdf]))).toBe("grüß");
  expect(decodeText(new Uint8Array([0xff, 0xfe, 0x61, 0, 0xfc, 0]))).toBe("aü");
  expect(decodeText(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]))).toBeUndefined();
  expect(decodeText(new Uint8Array())).toBe("");
});
