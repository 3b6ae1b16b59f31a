import fc from "fast-check";
import { expect, test } from "vitest";
import { encodingsOf } from "./secret-forms.ts";
import { Scrubber, type UsedSecret } from "./scrubber.ts";
import { tries } from "#kernel/testing/thorough.ts";

const used = (name: string, value: string): UsedSecret => ({
  name,
  value,
  forms: encodingsOf(value),
});

/** Without brackets, because such a value could form again at the edge of a label. */
const value = fc
  .string({ unit: "grapheme", minLength: 4, maxLength: 40 })
  .filter(
    (text) => !/[[\]]/.test(text) && text.length >= 4 && !"[secret A][secret B]".includes(text),
  );

/** Common encodings in logs and traces, computed independently of the code. */
const encodings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  (text) => encodeURIComponent(text),
  (text) => encodeURIComponent(text).replaceAll(/%../g, (hex) => hex.toLowerCase()),
  (text) => new URLSearchParams({ a: text }).toString().slice(2),
  (text) => Buffer.from(text).toString("base64"),
  (text) => Buffer.from(text).toString("base64url"),
  (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
];
const encoding = fc.constantFrom(...encodings);
const noise = fc.string({ unit: "grapheme", maxLength: 30 });

test("removes the value in every encoding, with any surrounding text", () => {
  fc.assert(
    fc.property(value, fc.array(fc.tuple(noise, encoding)), noise, (secret, parts, end) => {
      const text = parts.map(([before, encode]) => before + encode(secret)).join("") + end;
      const scrubbed = new Scrubber([used("A", secret)]).scrub(text);
      for (const encode of encodings) expect(scrubbed).not.toContain(encode(secret));
    }),
    { numRuns: tries(500) },
  );
});

test("removes several overlapping secrets completely", () => {
  const pair = fc.tuple(value, value, fc.nat(), noise);
  fc.assert(
    fc.property(pair, ([first, second, cut, between]) => {
      // The second secret starts with the end of the first.
      const joint = first + second.slice(cut % second.length);
      const secrets = [used("A", first), used("B", joint.slice(joint.length - second.length))];
      const text = `${between}${joint}${between}${second}`;
      const scrubbed = new Scrubber(secrets).scrub(text);
      for (const secret of secrets) {
        for (const form of secret.forms) {
          if (!"[secret A][secret B]".includes(form)) expect(scrubbed).not.toContain(form);
        }
      }
    }),
    { numRuns: tries(500) },
  );
});

test("keeps a text without secrets unchanged", () => {
  fc.assert(
    fc.property(value, fc.string({ unit: "grapheme" }), (secret, text) => {
      const { forms } = used("A", secret);
      fc.pre(!forms.some((form) => text.includes(form)) && text !== secret);
      expect(new Scrubber([used("A", secret)]).scrub(text)).toBe(text);
    }),
  );
});

test("removes every encoding from a JSON value: texts, field names and numbers", () => {
  fc.assert(
    fc.property(value, fc.jsonValue(), encoding, (secret, other, encode) => {
      const tree = { other, list: [1, null, { [`x${encode(secret)}`]: `${encode(secret)}!` }] };
      const scrubbed = new Scrubber([used("A", secret)]).scrubJson(tree);
      const texts: string[] = [];
      JSON.stringify(scrubbed, (key, leaf: unknown) => {
        texts.push(key, ...(typeof leaf === "string" ? [leaf] : []));
        return leaf;
      });
      for (const text of texts) expect(text).not.toContain(encode(secret));
    }),
  );
  expect(new Scrubber([used("PIN", "482913")]).scrubJson({ pin: 482913, id: 14829130 })).toEqual({
    pin: "[secret PIN]",
    id: 14829130,
  });
});

test("the label names the secret, and the longest match wins", () => {
  const scrubber = new Scrubber([used("SHORT", "abcd"), used("LONG", "abcdefgh")]);
  expect(scrubber.scrub("x abcd y abcdefgh z")).toBe("x [secret SHORT] y [secret LONG] z");
});

test("replaces overlapping matches as one, also if a value overlaps itself", () => {
  const scrubber = new Scrubber([used("A", "abcdef"), used("B", "defghi"), used("C", "xyxyxy")]);
  expect(scrubber.scrub("<abcdefghi>")).toBe("<[secret A][secret B]>");
  expect(scrubber.scrub("<xyxyxyxyxy>")).toBe("<[secret C]>");
});

test("finds a password in HTTP Basic credentials at every alignment", () => {
  const scrubber = new Scrubber([used("PASSWORD", "correct horse battery")]);
  for (const user of ["a", "ab", "abc", "abcd"]) {
    const basic = Buffer.from(`${user}:correct horse battery:x`).toString("base64");
    const decoded = Buffer.from(
      scrubber.scrub(basic).replaceAll(/\[.*?\]/g, ""),
      "base64",
    ).toString("latin1");
    expect(scrubber.scrub(basic)).toContain("[secret PASSWORD]");
    expect(decoded).not.toMatch(/orrect|horse|batter/);
  }
});

test("finds a value that was trimmed", () => {
  expect(new Scrubber([used("KEY", "s3cr3t-key\n")]).scrub("Bearer s3cr3t-key, sent")).toBe(
    "Bearer [secret KEY], sent",
  );
});

test("replaces a value of fewer than four characters only if it is the whole text", () => {
  const scrubber = new Scrubber([used("PIN", "123")]);
  expect(scrubber.scrub("123")).toBe("[secret PIN]");
  expect(scrubber.scrub("1234 and 123")).toBe("1234 and 123");
  expect(scrubber.scrubJson(["123", "0123", 123])).toEqual([
    "[secret PIN]",
    "0123",
    "[secret PIN]",
  ]);
});

test("returns a value without secrets as the same object", () => {
  const tree = { a: [1, "two", { three: null }] };
  expect(new Scrubber([used("A", "not in it")]).scrubJson(tree)).toBe(tree);
  expect(new Scrubber([]).scrubJson(tree)).toBe(tree);
});

test("many secrets cost little more than one for a large text", () => {
  const text = "the quick brown fox jumps over the lazy dog, 0123456789. ".repeat(20_000);
  const time = (count: number): number => {
    const secrets = Array.from({ length: count }, (_, n) =>
      used(`S${n}`, `sk_live_${n}_${"k".repeat(24)}`),
    );
    const scrubber = new Scrubber(secrets);
    scrubber.scrub(text);
    return Math.min(
      ...[1, 2, 3, 4, 5].map(() => {
        // CPU time, which other processes do not affect.
        const before = process.threadCpuUsage();
        expect(scrubber.scrub(text)).toBe(text);
        return process.threadCpuUsage(before).user / 1_000;
      }),
    );
  };
  const one = time(1);
  const many = time(500);
  console.log(
    `scrubbing ${text.length} characters: ${one.toFixed(1)} ms, with 500 secrets ${many.toFixed(1)} ms`,
  );
  expect(many).toBeLessThan(Math.max(one, 1) * 30);
});
