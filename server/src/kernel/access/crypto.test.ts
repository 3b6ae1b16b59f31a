import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureMasterKey, MasterKey, newDataKey, open, seal } from "./crypto.ts";

const plain = Buffer.from("attack at dawn");

test("a sealed value opens only with the same key and context", () => {
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

test("sealing a value twice gives different results", () => {
  const key = newDataKey();
  expect(seal(key, plain, "x").equals(seal(key, plain, "x"))).toBe(false);
});

test("a master key unwraps workspace keys and derives one key per purpose", () => {
  const master = new MasterKey(newDataKey());
  const dataKey = newDataKey();
  const wrapped = master.wrap(dataKey, "a");
  expect(master.unwrap(wrapped, "a")).toEqual(dataKey);
  expect(() => master.unwrap(wrapped, "b")).toThrow();
  expect(master.derive("one")).toEqual(master.derive("one"));
  expect(master.derive("one")).not.toEqual(master.derive("two"));
});

test("creates the key file once, readable only by its owner, and reports an invalid file", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-key-"));
  try {
    const first = ensureMasterKey(undefined, folder);
    expect(ensureMasterKey(undefined, folder).derive("x")).toEqual(first.derive("x"));
    expect(statSync(join(folder, "master.key")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["master.key"]);
    writeFileSync(join(folder, "master.key"), "short");
    expect(() => ensureMasterKey(undefined, folder)).toThrow(/32 bytes/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a start that fails while writing the key does not block the next start", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-key-"));
  try {
    // With a file size limit of 0, the file is created but its content cannot be written.
    const program = `(await import(process.argv[1])).ensureMasterKey(undefined, process.argv[2])`;
    const { status } = spawnSync("sh", [
      "-c",
      'ulimit -f 0 && exec "$0" --input-type=module -e "$@"',
      process.execPath,
      program,
      join(import.meta.dirname, "crypto.ts"),
      folder,
    ]);
    expect(status).not.toBe(0);
    const key = ensureMasterKey(undefined, folder);
    expect(ensureMasterKey(undefined, folder).derive("x")).toEqual(key.derive("x"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
