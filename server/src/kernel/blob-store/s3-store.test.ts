import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error -- It has no types.
import S3rver from "s3rver";
import { afterAll, expect, test } from "vitest";
import { useWorld } from "../testing/world.ts";
import { download, upload } from "#domains/files/testing/upload.ts";
import { BlobMissing } from "./blob-store.ts";
import { signRequest } from "./s3-signature.ts";
import { S3Store } from "./s3-store.ts";

const folder = await mkdtemp(join(tmpdir(), "millrace-s3-"));
const server = new S3rver({
  port: 0,
  address: "127.0.0.1",
  silent: true,
  directory: folder,
  configureBuckets: [{ name: "files", configs: [] }],
});
const { port } = await server.run();
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
const address = `http://S3RVER:S3RVER@127.0.0.1:${port}/files/below/here?region=eu-central-1`;

test("signs a request like the example in the S3 specification", () => {
  const url = new URL("https://examplebucket.s3.amazonaws.com/test.txt");
  const request = { method: "GET", url, headers: { range: "bytes=0-9" }, body: new Uint8Array() };
  const credentials = {
    keyId: "AKIAIOSFODNN7EXAMPLE",
    secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
  };
  const { authorization } = signRequest(request, credentials, new Date("2013-05-24T00:00:00Z"));
  expect(authorization).toContain(
    "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, " +
      "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  );
});

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("reads objects in full or by range, and deletes objects", async () => {
  const store = new S3Store(address, undefined);
  const large = Buffer.alloc(18 * 1024 * 1024 + 7, "0123456789abcdefg");
  for (const bytes of [Buffer.alloc(0), Buffer.from("small"), large]) {
    const name = `ws/aa/blb_${bytes.length}`;
    await store.put(name, chunks(bytes, 100_003));
    const whole = await Array.fromAsync(store.read(name, { from: 0, to: bytes.length }));
    expect(Buffer.concat(whole).equals(bytes)).toBe(true);
    const span = { from: Math.floor(bytes.length / 2), to: bytes.length };
    const half = await Array.fromAsync(store.read(name, span));
    expect(Buffer.concat(half).equals(bytes.subarray(span.from))).toBe(true);
    await store.remove(name);
    await store.remove(name);
    await expect(Array.fromAsync(store.read(name, { from: 0, to: 1 }))).rejects.toThrow(
      BlobMissing,
    );
  }
  const wrong = new S3Store(address.replace("/files/", "/none/"), undefined);
  await expect(wrong.put("a", chunks(Buffer.from("x"), 1))).rejects.toThrow("404 NoSuchBucket");
  await Promise.all([store.close(), wrong.close()]);
});

test("new files use the configured store, and existing files are still read from the folder", async () => {
  const world = await useWorld({ env: { MILLRACE_FILE_STORE: address } });
  const agent = await world.member(["agent"]);
  const bytes = Buffer.alloc(9 * 1024 * 1024, "far away ");
  const { status, body } = await upload(world, agent, bytes, { name: "far.txt" });
  expect([status, body.data.mediaType]).toEqual([201, "text/plain"]);
  expect(await world.sql("select place from blobs")).toEqual([{ place: "s3" }]);
  const path = `/api/v1/files/${body.data.id}/content`;
  expect((await download(world, agent, path)).bytes.equals(bytes)).toBe(true);
  const part = await download(world, agent, path, { range: "bytes=8388600-8388615" });
  expect([part.status, part.bytes.equals(bytes.subarray(8_388_600, 8_388_616))]).toEqual([
    206,
    true,
  ]);
});
