import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { chooseCoding } from "./content-codec.ts";
import { matchesEtag } from "./etag.ts";

const world = await useWorld();
const agent = await world.member(["owner"]);
const headers = { authorization: `Bearer ${agent.token}`, "x-workspace": "default" };

test.each([
  ["", undefined],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip, br", "br"],
  ["GZIP;q=1.0, br;q=0.5", "gzip"],
  ["gzip;q=0, br;q=0.1", "br"],
  ["gzip;q=0", undefined],
  ["*", "zstd"],
  ["*;q=0", undefined],
  ["*;q=0.5, gzip;q=0.8", "gzip"],
  ["*, zstd;q=0", "br"],
  ["identity", undefined],
  ["identity;q=0.5, gzip;q=0.1", undefined],
  ["identity;q=0, gzip;q=0.1", "gzip"],
  ["gzip;q=what", undefined],
  ["deflate", undefined],
  [";;,,q=1", undefined],
])("for Accept-Encoding %s chooses %s", (header, coding) => {
  expect(chooseCoding(header)).toBe(coding);
});

test.each([
  ['"1"', true],
  ['W/"1"', true],
  ['"x", "1"', true],
  ['"1" , W/"x"', true],
  ['"x,y",W/"1"', true],
  ["*", true],
  [" * ", true],
  ['"11"', false],
  ['"x", "y"', false],
  ["1", false],
  ["", false],
  [undefined, false],
])("If-None-Match %s: %s", (header, matches) => {
  expect([matchesEtag(header, '"1"'), matchesEtag(header, 'W/"1"')]).toEqual([matches, matches]);
});

test("responds 304 to If-None-Match with a list, a weak tag or an asterisk; If-Match accepts the weak tag too", async () => {
  const made = await agent("POST /api/v1/notes", { title: "Tagged", body: "Text" });
  const path = `/api/v1/notes/${made.body.data.id}`;
  for (const tag of ['"1"', 'W/"1"', '"x", "1"', "*"]) {
    const read = await agent(`GET ${path}`, undefined, { "if-none-match": tag });
    expect(read).toMatchObject({ status: 304, body: undefined, headers: { etag: '"1"' } });
    const head = await agent(`HEAD ${path}`, undefined, { "if-none-match": tag });
    expect(head.status).toBe(304);
  }
  const changed = await agent(`PATCH ${path}`, { title: "Changed" }, { "if-match": 'W/"1"' });
  expect(changed).toMatchObject({ status: 200, events: ["note.updated"] });
  const stale = await agent(`PATCH ${path}`, { title: "Again" }, { "if-match": 'W/"1"' });
  expect(stale).toMatchObject({ status: 412, events: [] });
});

const read = (url: string, coding?: string, more: Record<string, string> = {}) =>
  world.app.inject({
    url,
    headers: { ...headers, ...more, ...(coding !== undefined && { "accept-encoding": coding }) },
  });

const INFLATE = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };

test("compresses a long response as requested and weakens its tag", async () => {
  const body = "All work and no play. ".repeat(200);
  const made = await agent("POST /api/v1/notes", { title: "Long", body });
  const url = `/api/v1/notes/${made.body.data.id}`;
  const plain = await read(url);
  expect(plain.headers).toMatchObject({ etag: '"1"', vary: "accept-encoding" });
  expect(plain.headers["content-encoding"]).toBeUndefined();
  for (const coding of ["br", "gzip", "zstd"] as const) {
    const answer = await read(url, coding);
    expect(answer.headers).toMatchObject({
      "content-encoding": coding,
      "content-length": String(answer.rawPayload.length),
      "content-type": "application/json; charset=utf-8",
      etag: 'W/"1"',
      vary: "accept-encoding",
    });
    expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);
    expect(INFLATE[coding](answer.rawPayload).toString()).toBe(plain.payload);
    expect((await read(url, coding, { "if-none-match": 'W/"1"' })).statusCode).toBe(304);
  }
  expect((await read(url, "identity, gzip;q=0")).headers["content-encoding"]).toBeUndefined();
});

test("sends a short response and a personal page uncompressed", async () => {
  const short = await read("/api/v1/me/preferences", "gzip");
  expect(short.statusCode).toBe(200);
  expect(short.headers["content-encoding"]).toBeUndefined();
  const page = await read(`/oauth/authorize?state=${"x".repeat(5_000)}`, "gzip");
  expect(page.payload.length).toBeGreaterThan(0);
  expect(page.headers["content-encoding"]).toBeUndefined();
});

test.each(["/api/v1/openapi.json", "/api/v1/openapi.yaml"])(
  "%s has an ETag and is compressed once for all requests",
  async (url) => {
    const plain = await read(url);
    const etag = String(plain.headers.etag);
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const compressed = await read(url, "gzip, br");
    expect(compressed.headers).toMatchObject({
      "content-encoding": "br",
      etag: `W/${etag}`,
      vary: "accept-encoding",
    });
    expect(brotliDecompressSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
    for (const tag of [etag, `W/${etag}`, "*", `"x", ${etag}`]) {
      const again = await read(url, "gzip", { "if-none-match": tag });
      expect([again.statusCode, again.payload]).toEqual([304, ""]);
    }
    expect((await read(url, "gzip", { "if-none-match": '"x"' })).statusCode).toBe(200);
  },
);

const send = async (payload: Buffer, coding: string) => {
  const answer = await world.app.inject({
    method: "POST",
    url: "/api/v1/notes",
    headers: { ...headers, "content-type": "application/json", "content-encoding": coding },
    payload,
  });
  const events = await world.sql("select type from events where request_id = $1", [
    answer.headers["x-request-id"],
  ]);
  return {
    status: answer.statusCode,
    body: answer.json(),
    headers: answer.headers,
    events: events.map(({ type }) => type),
  };
};
const noteOf = (title: string) => Buffer.from(JSON.stringify({ title, body: "Text" }));
const note = noteOf("Packed");

test.each(["gzip", "GZIP", "x-gzip"])("accepts a body with coding %s", async (coding) => {
  const answer = await send(gzipSync(noteOf(`Packed as ${coding}`)), coding);
  expect(answer).toMatchObject({
    status: 201,
    body: { data: { title: `Packed as ${coding}` } },
    events: ["note.created"],
  });
});

test("rejects a body with an unsupported coding and names the supported one", async () => {
  for (const coding of ["br", "deflate", "xyz", "gzip, gzip"]) {
    expect(await send(note, coding)).toMatchObject({
      status: 415,
      body: { code: "unknown_coding" },
      headers: { "accept-encoding": "gzip" },
      events: [],
    });
  }
  expect(await send(note, "identity")).toMatchObject({ status: 201 });
});

test("rejects a body that is not gzip or is truncated", async () => {
  const packed = gzipSync(note);
  for (const bytes of [note, packed.subarray(0, -12), Buffer.concat([packed, note])]) {
    const answer = await send(bytes, "gzip");
    expect(answer).toMatchObject({ status: 400, body: { code: "malformed_request" }, events: [] });
  }
});

test("rejects a body that is too large after decompression, including a compression bomb", async () => {
  for (const size of [2 * 1024 * 1024, 64 * 1024 * 1024]) {
    const bomb = gzipSync(Buffer.alloc(size, " "));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const answer = await send(bomb, "gzip");
    expect(answer).toMatchObject({ status: 413, body: { code: "too_large" }, events: [] });
  }
});
