import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadMasterKey, MasterKey, newDataKey, open, seal } from "./crypto.ts";

const plain = Buffer.from("attack at dawn");

test("what was sealed opens with the same key and context, and only then", () => {
  const key = newDataKey();
  const sealed = seal(key, plain, "here");
  expect(open(key, sealed, "here")).toEqual(plain);
  expect(sealed.includes(plain)).toBe(false);
  expect(() => open(newDataKey(), sealed, "here")).toThrow();
  expect(() => open(key, sealed, "elsewhere")).toThrow();
  for (let index = 0; index < sealed.length; index += 1) {
    const bent = Buffer.from(sealed);
    bent[index] = (bent[index] ?? 0) ^ 1;
    expect(() => open(key, bent, "here")).toThrow();
  }
  expect(() => open(key, sealed.subarray(0, 20), "here")).toThrow();
});

test("two seals of the same value differ", () => {
  const key = newDataKey();
  expect(seal(key, plain, "x").equals(seal(key, plain, "x"))).toBe(false);
});

test("a master key unwraps what it wrapped for a workspace, and derives one key per purpose", () => {
  const master = new MasterKey(newDataKey());
  const dataKey = newDataKey();
  const wrapped = master.wrap(dataKey, "a");
  expect(master.unwrap(wrapped, "a")).toEqual(dataKey);
  expect(() => master.unwrap(wrapped, "b")).toThrow();
  expect(master.derive("one")).toEqual(master.derive("one"));
  expect(master.derive("one")).not.toEqual(master.derive("two"));
});

test("the key file is made once, for its owner alone, and a bad one is said to be bad", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-key-"));
  try {
    const first = loadMasterKey(undefined, folder);
    expect(loadMasterKey(undefined, folder).derive("x")).toEqual(first.derive("x"));
    expect(statSync(join(folder, "master.key")).mode & 0o777).toBe(0o600);
    writeFileSync(join(folder, "master.key"), "short");
    expect(() => loadMasterKey(undefined, folder)).toThrow(/32 bytes/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
