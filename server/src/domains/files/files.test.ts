import { fork } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TEST_KEY_TEXT } from "#kernel/testing/database.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { collectFiles } from "./collector.ts";
import { download, upload } from "./testing/upload.ts";
import { tries } from "#kernel/testing/thorough.ts";

const world = await useWorld({
  env: { MILLRACE_FILE_MAX_MIB: "1", MILLRACE_FILE_QUOTA_MIB: "40" },
});
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const member = await world.member(["member"]);
const elsewhere = await world.member(["owner"], await world.workspace("elsewhere"));

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
const contentOf = (id: string): string => `/api/v1/files/${id}/content`;
const usage = async () => (await owner("GET /api/v1/files/usage")).body.data;
const folder = join(world.kernel.settings.dataDir, "files");
const objects = (): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];

/** Uploads by a form, like browsers. */
async function uploadForm(content: Buffer, name: string) {
  const form = new FormData();
  form.set("note", "a field before the file\r\n--");
  form.set("file", new Blob([new Uint8Array(content)]), name);
  const request = new Request("http://form", { method: "POST", body: form });
  const reply = await world.app.inject({
    method: "POST",
    url: "/api/v1/files",
    headers: {
      authorization: `Bearer ${agent.token}`,
      "x-workspace": "default",
      "content-type": request.headers.get("content-type") ?? "",
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  return { status: reply.statusCode, body: reply.json() };
}

test("returns an upload by body or form byte for byte, in any range", async () => {
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map((unit) => Buffer.alloc(200_000, unit)),
    fc.constant(Buffer.from("\r\n------formdata-undici\r\n\r\n--")),
  );
  const bound = fc.option(fc.integer({ min: 0, max: 250_000 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(content, fc.boolean(), bound, bound, async (bytes, asForm, from, to) => {
      const sent = Buffer.from(bytes);
      const { status, body } = asForm
        ? await uploadForm(sent, "a.bin")
        : await upload(world, agent, sent, { name: "a.bin" });
      expect([status, body.data.size]).toEqual([201, sent.length]);
      const whole = await download(world, agent, contentOf(body.data.id));
      expect([whole.status, whole.bytes.equals(sent)]).toEqual([200, true]);
      const range = `bytes=${from ?? ""}-${to ?? ""}`;
      const part = await download(world, agent, contentOf(body.data.id), { range });
      const expected = expectedPart(sent, from, to);
      expect([part.status, part.headers["content-range"]]).toEqual([
        expected.status,
        expected.contentRange,
      ]);
      if (part.status !== 416) expect(part.bytes.equals(expected.bytes)).toBe(true);
    }),
    { numRuns: tries(25) },
  );
});

/** A direct implementation of RFC 9110, 14.1.2. */
function expectedPart(sent: Buffer, from: number | undefined, to: number | undefined) {
  const all = { status: 200, contentRange: undefined, bytes: sent };
  if (from === undefined && to === undefined) return all;
  if (from !== undefined && to !== undefined && to < from) {
    // Invalid ranges are ignored.
    return all;
  }
  const first = from ?? Math.max(0, sent.length - (to ?? 0));
  const last = from === undefined ? sent.length - 1 : Math.min(to ?? Infinity, sent.length - 1);
  if (first > last) {
    return { status: 416, contentRange: `bytes */${sent.length}`, bytes: Buffer.alloc(0) };
  }
  return {
    status: 206,
    contentRange: `bytes ${first}-${last}/${sent.length}`,
    bytes: sent.subarray(first, last + 1),
  };
}

test("a file has an ETag, a length for HEAD and one event, and is only accessible to its uploader", async () => {
  const { status, body, events } = await upload(world, agent, "hello, world", { name: "hi.txt" });
  expect([status, events]).toEqual([201, ["file.uploaded"]]);
  expect(body.data).toMatchObject({
    name: "hi.txt",
    mediaType: "text/plain",
    size: 12,
    attachedTo: null,
    createdBy: agent.userId,
  });
  const path = contentOf(body.data.id);
  const { headers } = await download(world, agent, path);
  const same = await agent(`GET ${path}`, undefined, { "if-none-match": headers["etag"] ?? "" });
  expect(same.status).toBe(304);
  const stale = { range: "bytes=0-1", "if-range": '"another"' };
  expect((await download(world, agent, path, stale)).status).toBe(200);
  const fresh = { range: "bytes=0-1", "if-range": headers["etag"] ?? "" };
  expect((await download(world, agent, path, fresh)).status).toBe(206);
  const head = await world.app.inject({
    method: "HEAD",
    url: path,
    headers: { authorization: `Bearer ${agent.token}`, "x-workspace": "default" },
  });
  expect([head.statusCode, head.headers["content-length"], head.payload]).toEqual([200, "12", ""]);
  for (const other of [member, owner, elsewhere]) {
    for (const rest of ["", "/content", "/link", "/thumbnail"]) {
      expect((await other(`GET /api/v1/files/${body.data.id}${rest}`)).status).toBe(404);
    }
    expect((await other(`DELETE /api/v1/files/${body.data.id}`)).status).toBe(404);
  }
  const viewer = await world.member(["viewer"]);
  expect((await upload(world, viewer, "x")).status).toBe(403);
  const deleted = await agent(`DELETE /api/v1/files/${body.data.id}`);
  expect([deleted.status, deleted.events]).toEqual([204, ["file.deleted"]]);
  expect((await agent(`GET ${path}`)).status).toBe(404);
});

const GIF_SCRIPT = "GIF89a=1;alert(1)//";
const HOSTILE: readonly (readonly [string, string, string, string, "inline" | "attachment"])[] = [
  [
    "page.png",
    "image/png",
    "<html><script>alert(1)</script>",
    "application/octet-stream",
    "attachment",
  ],
  [
    "pic.png",
    "image/png",
    '<?xml version="1.0"?><svg xmlns="x"><script/></svg>',
    "application/octet-stream",
    "attachment",
  ],
  [
    "pic.svg",
    "image/svg+xml",
    " <!-- x --> <svg onload=alert(1)>",
    "application/octet-stream",
    "attachment",
  ],
  // A backtracking pattern would try all combinations and block other requests.
  ["a.txt", "text/plain", "<!--a-->".repeat(9_000), "text/plain; charset=utf-8", "inline"],
  ["a.gif", "text/html", GIF_SCRIPT, "image/gif", "inline"],
  ["a.js", "text/javascript", "alert(1)", "text/plain; charset=utf-8", "inline"],
  ["a.json", "text/html", '{"a":1}', "application/json", "attachment"],
  ["a.pdf", "application/pdf", "%PDF-1.7\n<script>", "application/pdf", "attachment"],
  ["a.exe", "image/png", "MZ\u0000\u0001", "application/x-msdownload", "attachment"],
  ["a.txt", "text/plain", "\u0001\u0002\u0003", "application/octet-stream", "attachment"],
];

test("served content can't run scripts, whatever type the client declares", async () => {
  for (const [name, declared, content, type, kind] of HOSTILE) {
    const sent = { name, headers: { "content-type": declared } };
    const { body } = await upload(world, agent, content, sent);
    const { headers, bytes } = await download(world, agent, contentOf(body.data.id));
    expect([name, headers["content-type"], bytes.toString()]).toEqual([name, type, content]);
    expect(headers["content-disposition"]).toMatch(new RegExp(`^${kind}; filename="`));
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "cross-origin-resource-policy": "same-origin",
    });
    const forced = await download(world, agent, `${contentOf(body.data.id)}?download=true`);
    expect(forced.headers["content-disposition"]).toMatch(/^attachment;/);
  }
});

test("removes paths and deceptive characters from names in all headers", async () => {
  const names: readonly (readonly [string, string, string])[] = [
    ["../../etc/passwd", "passwd", 'filename="passwd"'],
    ["C:\\temp\\a.txt", "a.txt", 'filename="a.txt"'],
    [
      'a"; filename="b.html',
      'a"; filename="b.html',
      `filename="a_; filename=_b.html"; filename*=UTF-8''a%22%3B%20filename%3D%22b.html`,
    ],
    ["a\r\nSet-Cookie: x=1", "aSet-Cookie: x=1", 'filename="aSet-Cookie: x=1"'],
    ["photo\u202egpj.exe", "photogpj.exe", 'filename="photogpj.exe"'],
    [
      "Übersicht €.txt",
      "Übersicht €.txt",
      `filename="_bersicht _.txt"; filename*=UTF-8''%C3%9Cbersicht%20%E2%82%AC.txt`,
    ],
    ["..", "file", 'filename="file"'],
  ];
  for (const [sent, kept, header] of names) {
    const { body } = await upload(world, agent, `of ${sent}`, { name: sent });
    expect(body.data.name).toBe(kept);
    const { headers } = await download(world, agent, contentOf(body.data.id));
    expect(headers["content-disposition"]).toBe(`inline; ${header}`);
  }
  const long = await upload(world, agent, "long", { name: `${"😀".repeat(240)}.txt` });
  expect(long.body.data.name).toMatch(/^(😀)+\.txt$/u);
});

test("rejects oversized and incomplete uploads without storing anything", async () => {
  const before = { files: await world.sql("select id from files"), objects: objects().length };
  const large = await upload(world, agent, Buffer.alloc(MIB + 1));
  expect([large.status, large.body.code, large.events]).toEqual([413, "file_too_large", []]);
  await world.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = world.app.server.address() as AddressInfo;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < 3 * MIB; sent += 65_536) yield Buffer.alloc(65_536);
  }
  const counted = await fetch(`http://127.0.0.1:${port}/api/v1/files?name=a`, {
    method: "POST",
    headers: { authorization: `Bearer ${agent.token}`, "x-workspace": "default" },
    body: Readable.toWeb(Readable.from(chunks())),
    duplex: "half",
  } as unknown as RequestInit);
  expect([counted.status, await counted.json()]).toMatchObject([413, { bytesMax: MIB }]);
  // A rest would keep a connection open and delay the shutdown.
  const { server } = world.app;
  const countConnections = promisify(server.getConnections.bind(server));
  await until(async () => {
    server.closeIdleConnections();
    return (await countConnections()) === 0;
  });
  const packed = await upload(world, agent, "x", { headers: { "content-encoding": "gzip" } });
  expect([packed.status, packed.body.code]).toEqual([415, "unknown_coding"]);
  const type = { "content-type": "multipart/form-data; boundary=b" };
  for (const form of [
    "",
    "--b--",
    "--b\r\n\r\nx\r\n--b--",
    '--b\r\ncontent-disposition: form-data; filename="a"\r\n\r\nx',
  ]) {
    const broken = await upload(world, agent, form, { headers: type });
    expect([400, 422], form).toContain(broken.status);
  }
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `POST /api/v1/files?name=a HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${agent.token}\r\n` +
      `x-workspace: default\r\ncontent-length: 1000\r\n\r\n${"x".repeat(400)}`,
  );
  await until(
    async () => (await world.sql("select from blobs where state = 'pending'")).length > 0,
  );
  socket.destroy();
  await until(
    async () => (await world.sql("select from blobs where state = 'pending'")).length === 0,
  );
  expect(await world.sql("select id from files")).toEqual(before.files);
  expect(objects()).toHaveLength(before.objects);
});

test("a quota applies per workspace and counts each content once", async () => {
  const small = await world.member(["owner"], await world.workspace("small"));
  const put = (fill: number) =>
    upload(world, small, Buffer.alloc(MIB, fill), { workspace: "small" });
  for (let fill = 0; fill < 40; fill += 1) expect((await put(fill)).status).toBe(201);
  expect((await put(7)).body).toMatchObject({ code: "file_quota_exceeded" });
  expect((await small("GET /api/v1/files/usage")).body.data).toEqual({
    contents: 40,
    bytes: 40 * MIB,
    quotaBytes: 40 * MIB,
    fileBytesMax: MIB,
  });
  expect((await member("GET /api/v1/files/usage")).status).toBe(403);
  const { status } = await upload(world, agent, Buffer.alloc(MIB, 7));
  expect(status).toBe(201);
  // Requesters have a limited share.
  const asker = await world.member(["requester"]);
  const answers: Awaited<ReturnType<typeof upload>>[] = [];
  for (const fill of [50, 51, 52]) {
    answers.push(await upload(world, asker, Buffer.alloc(MIB, fill)));
  }
  expect(answers.map((answer) => answer.status)).toEqual([201, 201, 507]);
  expect(answers[2]?.body).toMatchObject({ code: "file_share_exceeded" });
});

test("concurrent uploads of the same content share it, per workspace", async () => {
  const before = await usage();
  const at = Array.from({ length: 8 }, () => upload(world, agent, "the same at once"));
  const replies = await Promise.all([
    ...at,
    upload(world, elsewhere, "the same at once", { workspace: "elsewhere" }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 201));
  expect((await usage()).contents).toBe(before.contents + 1);
  const rows = await world.sql(
    "select refs from blobs where sha256 = sha256('the same at once') and state = 'stored' order by refs",
  );
  expect(rows).toEqual([{ refs: 1 }, { refs: 8 }]);
});

test("a signed address works for a limited time for everyone, while its creator is a member", async () => {
  const leaver = await world.member(["member"]);
  const { id } = (await upload(world, leaver, "for a while", { name: "a.txt" })).body.data;
  const link = await leaver(`GET /api/v1/files/${id}/link?expiresIn=600`);
  const path = new URL(link.body.data.url).pathname;
  const open = (at = path, headers = {}) => world.stranger(`GET ${at}`, undefined, headers);
  expect((await open()).body).toBe("for a while");
  expect(await open(path, { range: "bytes=4-" })).toMatchObject({ status: 206, body: "a while" });
  const [payload = "", signature = ""] = path.slice("/files/".length).split(".");
  const longer = JSON.parse(Buffer.from(payload, "base64url").toString());
  longer[3] += 1;
  const forged = Buffer.from(JSON.stringify(longer)).toString("base64url");
  for (const bad of [`/files/${forged}.${signature}`, `/files/${payload}.${"A".repeat(43)}`]) {
    expect((await open(bad)).status).toBe(404);
  }
  expect((await owner(`DELETE /api/v1/settings/users/${leaver.userId}`)).status).toBe(204);
  await until(async () => (await open()).status === 404);
  const mine = (await upload(world, member, "mine")).body.data.id;
  const own = new URL((await member(`GET /api/v1/files/${mine}/link`)).body.data.url).pathname;
  world.clock.advance(15 * 60_000 + 1);
  expect((await open(own)).status).toBe(404);
});

test("the collector deletes unused files and never one that is being attached", async () => {
  const kept = await upload(world, agent, "kept");
  const lost = await upload(world, agent, "lost");
  const incident = await agent("POST /api/v1/itsm/incidents", { title: "Up", description: "x" });
  const path = `/api/v1/itsm/incidents/${incident.body.data.id}/attachments`;
  expect((await agent(`POST ${path}`, { fileId: kept.body.data.id })).status).toBe(201);
  world.clock.advance(DAY_MS + 1);
  await collectFiles(world.kernel, 1_000);
  expect((await agent(`GET /api/v1/files/${lost.body.data.id}`)).status).toBe(404);
  expect((await agent(`GET ${contentOf(kept.body.data.id)}`)).body).toBe("kept");
  // The content is kept for a further day, at whose end a new upload of it arrives.
  world.clock.advance(DAY_MS + 1);
  const [again] = await Promise.all([
    upload(world, agent, "lost"),
    collectFiles(world.kernel, 1_000),
    collectFiles(world.kernel, 1_000),
  ]);
  await collectFiles(world.kernel, 1_000);
  expect((await agent(`GET ${contentOf(again?.body.data.id)}`)).body).toBe("lost");
  world.clock.advance(2 * DAY_MS + 2);
  for (let turn = 0; turn < 3; turn += 1) await collectFiles(world.kernel, 1_000);
  world.clock.advance(DAY_MS + 1);
  for (let turn = 0; turn < 3; turn += 1) await collectFiles(world.kernel, 1_000);
  const rows = await world.sql("select id from blobs where place = 'folder' order by id");
  expect(objects().toSorted()).toEqual(rows.map(({ id }) => id));
  const counted = await world.sql(
    "select coalesce(sum(refs), 0)::int as refs, coalesce(sum(size), 0)::int as size from blobs",
  );
  const [files] = await world.sql("select count(*)::int as n from files");
  const [used] = await world.sql("select coalesce(sum(bytes), 0)::int as bytes from file_usage");
  expect([counted[0].refs, counted[0].size]).toEqual([files.n, used.bytes]);
});

test("collects the rests of an upload after kill -9", async () => {
  const before = objects().length;
  const { dataDir } = world.kernel.settings;
  const { database, home: workspace } = world;
  const about = JSON.stringify({ database, dataDir, workspace, key: TEST_KEY_TEXT });
  const program = new URL("./testing/upload-victim.ts", import.meta.url);
  const victim = fork(program, [about], { stdio: "ignore" });
  const ended = new Promise((resolve) => victim.once("exit", resolve));
  await until(async () => objects().length > before);
  victim.kill("SIGKILL");
  await ended;
  // By this world's clock it was days ago.
  await collectFiles(world.kernel, 1_000);
  expect(objects().length).toBeLessThanOrEqual(before);
  expect(await world.sql("select from blobs where state <> 'stored'")).toEqual([]);
});
