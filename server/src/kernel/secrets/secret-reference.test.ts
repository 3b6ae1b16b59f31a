import fc from "fast-check";
import { expect, test } from "vitest";
import { findSecretReferences, substituteSecrets } from "./secret-reference.ts";

test("finds references anywhere in a value, each name once", () => {
  const value = {
    url: "https://{{secrets.HOST}}/{{ secrets.path_2 }}",
    headers: [{ authorization: "Bearer {{secrets.TOKEN}}" }, "{{secrets.HOST}}"],
    "{{secrets.NOT_A_VALUE}}": 7,
    none: ["{{secrets.1BAD}}", "{{secrets.}}", "{{ secret.X }}", "{secrets.X}", null, true],
  };
  expect(findSecretReferences(value)).toEqual(["HOST", "path_2", "TOKEN"]);
});

test("replaces references by the values, which are not searched again", () => {
  const secrets = new Map([
    ["A", "{{secrets.B}} $& $1"],
    ["B", "never"],
  ]);
  expect(substituteSecrets({ x: ["<{{secrets.A}}>", 1], y: "{{secrets.C}}" }, secrets)).toEqual({
    x: ["<{{secrets.B}} $& $1>", 1],
    y: "{{secrets.C}}",
  });
});

test("does not copy a value without references", () => {
  const value = { a: [{ b: "{{ steps.x.output }}" }] };
  expect(substituteSecrets(value, new Map())).toBe(value);
});

test("keeps the text around a reference", () => {
  const text = fc.string({ unit: "grapheme" }).filter((part) => !/[{}]/.test(part));
  fc.assert(
    fc.property(text, text, text, (before, after, secret) => {
      const value = [`${before}{{secrets.X}}${after}`];
      expect(findSecretReferences(value)).toEqual(["X"]);
      expect(substituteSecrets(value, new Map([["X", secret]]))).toEqual([
        `${before}${secret}${after}`,
      ]);
    }),
  );
});
