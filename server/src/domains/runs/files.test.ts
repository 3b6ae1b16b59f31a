import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { serve } from "#kernel/outbound/testing/server.ts";
import { collectFiles } from "#domains/files/collector.ts";
import { download, upload } from "#domains/files/testing/upload.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import {
  createToken,
  deployAndRun,
  deployWorkflow,
  readEventTypes,
  runWorkflow,
  stepsOf,
  trigger,
} from "./testing/workflows.ts";

const DAY_MS = 24 * 3_600_000;

/** An upstream that serves content set by a test, and records what it receives. */
const served = new Map<
  string,
  { readonly bytes: Buffer; readonly headers: Record<string, string> }
>();
const received: { readonly path: string; readonly type: string; readonly bytes: Buffer }[] = [];
let onceCalls = 0;
let attempts = 0;
const upstream = await serve((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const path = request.url ?? "";
    const type = request.headers["content-type"] ?? "";
    if (request.method !== "GET") received.push({ path, type, bytes: Buffer.concat(chunks) });
    const found = served.get(path);
    if (path === "/attempt") return response.writeHead(200).end(`try ${(attempts += 1)}`);
    if (path === "/once" && onceCalls++ === 0) return response.writeHead(503).end();
    return response
      .writeHead(found || request.method !== "GET" ? 200 : 404, found?.headers ?? {})
      .end(found?.bytes ?? "");
  });
});
const url = `http://127.0.0.1:${upstream.port}`;
const world = await useWorld({
  work: true,
  env: {
    MILLRACE_OUTBOUND_ALLOW: "127.0.0.0/8",
    MILLRACE_FILE_MAX_MIB: "3",
    MILLRACE_RUN_RETENTION_DAYS: "7",
  },
});
const owner = await world.member(["owner"]);

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const get = (id: string, path: string, more: object = {}) => ({
  id,
  type: "http",
  config: { url: `${url}${path}`, ...more },
});

test("a binary response becomes a file of the run, and can be sent as a body and in a form", async () => {
  const bytes = Buffer.concat([Buffer.from([0, 255, 254, 1, 2, 3, 128]), randomBytes(300_000)]);
  served.set("/a%20report", {
    bytes,
    headers: {
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename*=UTF-8''B%C3%A4r.bin`,
    },
  });
  const file = "{{ steps.fetch.output.body }}";
  const run = await deployAndRun(owner, [
    get("fetch", "/a%20report"),
    { id: "raw", type: "http", config: { method: "PUT", url: `${url}/raw`, body: file } },
    {
      id: "form",
      type: "http",
      config: {
        method: "POST",
        url: `${url}/form`,
        bodyType: "multipart",
        body: { title: 'A "report"', count: 2, more: { a: 1 }, files: [file, file] },
      },
    },
  ]);
  expect(run.error).toBeNull();
  const { fetch: fetched } = stepsOf(run);
  const handle = fetched?.output.body;
  expect(handle).toEqual({
    $file: expect.stringMatching(/^file_/),
    name: "Bär.bin",
    mediaType: "application/octet-stream",
    size: bytes.length,
  });
  const [raw, form] = received.splice(0);
  expect([raw?.path, raw?.type, sha256(raw?.bytes ?? Buffer.of())]).toEqual([
    "/raw",
    "application/octet-stream",
    sha256(bytes),
  ]);
  const parsed = await new Response(new Uint8Array(form?.bytes ?? []), {
    headers: { "content-type": form?.type ?? "" },
  }).formData();
  expect([parsed.get("title"), parsed.get("count"), parsed.get("more")]).toEqual([
    'A "report"',
    "2",
    '{"a":1}',
  ]);
  const parts = await Promise.all(
    parsed.getAll("files").map(async (part) => Buffer.from(await (part as File).arrayBuffer())),
  );
  expect(parts.map(sha256)).toEqual([sha256(bytes), sha256(bytes)]);
  // Readers of the run can read the file, by range and by a link.
  const path = `/api/v1/files/${handle.$file}`;
  const whole = await download(world, owner, `${path}/content`);
  expect([whole.status, sha256(whole.bytes)]).toEqual([200, sha256(bytes)]);
  const part = await download(world, owner, `${path}/content`, { range: "bytes=2-4" });
  expect([part.status, [...part.bytes]]).toEqual([206, [254, 1, 2]]);
  const { body: link } = await owner(`GET ${path}/link`);
  const linked = await download(world, { token: "" }, new URL(link.data.url).pathname);
  expect(sha256(linked.bytes)).toBe(sha256(bytes));
  const builder = await world.member(["builder"]);
  const agent = await world.member(["agent"]);
  expect((await builder(`GET ${path}`)).status).toBe(200);
  expect((await agent(`GET ${path}`)).status).toBe(404);
  const narrow = await createToken(world, owner, ["files:read"]);
  expect((await narrow(`GET ${path}`)).status).toBe(404);
  expect(await readEventTypes(world, run.id)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
});

test("text responses stay data unless a file is requested, and invalid text keeps its bytes", async () => {
  const latin = Buffer.from([0x67, 0x72, 0xfc, 0xdf]);
  const long = Buffer.alloc(3_000_000, "long ");
  served.set("/text", { bytes: Buffer.from("grüß"), headers: { "content-type": "text/plain" } });
  served.set("/latin", { bytes: latin, headers: { "content-type": "text/plain" } });
  served.set("/long", { bytes: long, headers: { "content-type": "text/csv" } });
  const run = await deployAndRun(owner, [
    get("text", "/text"),
    get("latin", "/latin"),
    get("asked", "/text", { response: "file" }),
    get("long", "/long", { response: "file" }),
  ]);
  const { text, latin: other, asked, long: large } = stepsOf(run);
  expect(text?.output.body).toBe("grüß");
  expect(asked?.output.body).toMatchObject({ name: "text.txt", mediaType: "text/plain", size: 6 });
  expect(large?.output.body).toMatchObject({ name: "long.csv", mediaType: "text/csv" });
  for (const [step, bytes] of [
    [other, latin],
    [large, long],
  ] as const) {
    const path = `/api/v1/files/${step?.output.body.$file}/content`;
    expect(sha256((await download(world, owner, path)).bytes)).toBe(sha256(bytes));
  }
  const tooLong = await deployAndRun(owner, [get("long", "/long")]);
  expect(tooLong.error).toMatchObject({ code: "response_too_large" });
});

test("a handle is valid for files of the run and of its readers; other files look nonexistent", async () => {
  const read = [{ id: "read", type: "file.read", config: { file: "{{ trigger.input.file }}" } }];
  const id = await deployWorkflow(owner, read);
  const mine = await upload(world, owner, "a,b\r\n1,=2\r\n", { name: "mine.csv" });
  const handle = (fileId: string) => ({ file: { $file: fileId, size: 1, mediaType: "image/png" } });
  const own = await runWorkflow(owner, id, handle(mine.body.data.id));
  expect(own.output).toEqual({ columns: ["a", "b"], rows: [{ a: "1", b: "=2" }], more: false });
  // The upload now belongs to the run.
  const { body: kept } = await owner(`GET /api/v1/files/${mine.body.data.id}`);
  expect(kept.data).toMatchObject({ attachedTo: { type: "run", id: own.id }, expiresAt: null });
  const agent = await world.member(["agent"]);
  const theirs = await upload(world, agent, "secret", { name: "theirs.txt" });
  const elsewhere = await world.workspace("elsewhere");
  const stranger = await world.member(["owner"], elsewhere);
  const foreign = await upload(world, stranger, "x", { name: "x.txt", workspace: elsewhere.slug });
  const ids: string[] = [
    theirs.body.data.id,
    foreign.body.data.id,
    "file_01jzt3n5k8q2x4v6w8y0z2b4d6",
    "nonsense",
  ];
  const hook = await deployWorkflow(
    owner,
    [{ id: "read", type: "file.read", config: { file: "{{ trigger.input.body.file }}" } }],
    { trigger: { type: "webhook" } },
  );
  const { body: made } = await owner(`GET /api/v1/workflows/${hook}`);
  for (const forged of ids) {
    const given = { ...handle(mine.body.data.id).file, ...handle(forged) };
    for (const input of [handle(forged), given]) {
      const refused = await trigger(owner, id, input);
      expect([refused.status, refused.events]).toEqual([422, []]);
      expect(refused.body.errors[0].message).toBe(`contains a file that you can't view: ${forged}`);
    }
  }
  // The run could read the file. The colleague who starts the run cannot, and it was not submitted by an external
  // caller.
  const colleague = await world.member(["builder"]);
  const hidden = await upload(world, owner, "salaries", { name: "salaries.txt" });
  expect((await trigger(colleague, id, handle(hidden.body.data.id))).status).toBe(422);
  const sent = await world.app.inject({
    method: "POST",
    url: new URL(made.data.trigger.url).pathname,
    payload: handle(hidden.body.data.id),
  });
  expect(Math.floor(sent.statusCode / 100)).toBe(4);
  const inside = await deployAndRun(owner, [
    { id: "read", type: "file.read", config: { file: { $file: theirs.body.data.id } } },
  ]);
  expect(inside.error.code).toBe("file_gone");
});

test("files sent to an address become files of the run, from a form or as the body", async () => {
  const workflow = await deployWorkflow(
    owner,
    [{ id: "body", type: "transform", config: { expression: "trigger.input.body" } }],
    { trigger: { type: "webhook" } },
  );
  const { body: made } = await owner(`GET /api/v1/workflows/${workflow}`);
  const { pathname } = new URL(made.data.trigger.url);
  const send = async (type: string, payload: Buffer): Promise<any> => {
    const reply = await world.app.inject({
      method: "POST",
      url: pathname,
      headers: { "content-type": type },
      payload,
    });
    expect(reply.statusCode).toBe(202);
    const { body } = await owner(`GET /api/v1/runs/${reply.json().data.runId}`);
    return body.data;
  };
  const bytes = randomBytes(2_500_000);
  const raw = await send("image/png", bytes);
  expect(raw.output).toMatchObject({ name: "upload.png", size: bytes.length });
  const content = `/api/v1/files/${raw.output.$file}/content`;
  expect(sha256((await download(world, owner, content)).bytes)).toBe(sha256(bytes));
  const form = new FormData();
  form.append("title", "Two files");
  form.append("scans", new File([bytes], "a.bin"));
  form.append("scans", new File(["b"], "b.txt"));
  const encoded = new Response(form);
  const type = encoded.headers.get("content-type") ?? "";
  const run = await send(type, Buffer.from(await encoded.arrayBuffer()));
  expect(run.output).toEqual({
    title: "Two files",
    scans: [
      {
        $file: expect.any(String),
        name: "a.bin",
        mediaType: expect.any(String),
        size: bytes.length,
      },
      { $file: expect.any(String), name: "b.txt", mediaType: "text/plain", size: 1 },
    ],
  });
  expect(await readEventTypes(world, run.id)).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
  // An interrupted form submission must not start a run or leave files.
  const broken = await world.app.inject({
    method: "POST",
    url: pathname,
    headers: { "content-type": "multipart/form-data; boundary=x" },
    payload: '--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\nhalf',
  });
  expect(broken.statusCode).toBe(400);
  expect(await world.sql("select id from blobs where state = 'pending'")).toEqual([]);
});

test("a script reads and writes files in parts, and random bytes are unchanged on every path", async () => {
  for (const size of [0, 1, 393_216, 1_200_001]) {
    const bytes = randomBytes(size);
    served.set("/random", { bytes, headers: { "content-type": "application/octet-stream" } });
    const run = await deployAndRun(owner, [
      get("fetch", "/random", { response: "file" }),
      {
        id: "copy",
        type: "script",
        config: {
          source: `
            const out = await context.files.create("copy.bin");
            let count = 0;
            for await (const chunk of context.files.chunks(input)) {
              count += chunk.length;
              await out.write(chunk);
            }
            return { file: await out.close(), count };`,
          input: "{{ steps.fetch.output.body }}",
        },
      },
      {
        id: "send",
        type: "http",
        config: {
          method: "POST",
          url: `${url}/copies`,
          headers: { "Content-Type": "multipart/form-data" },
          body: { file: "{{ steps.copy.output.file }}" },
        },
      },
    ]);
    expect(run.error).toBeNull();
    expect(stepsOf(run)["copy"]?.output).toMatchObject({ count: size, file: { size } });
    const [sent] = received.splice(0);
    const form = await new Response(new Uint8Array(sent?.bytes ?? []), {
      headers: { "content-type": sent?.type ?? "" },
    }).formData();
    const got = Buffer.from(await (form.get("file") as File).arrayBuffer());
    expect([got.length, sha256(got)]).toEqual([size, sha256(bytes)]);
  }
  const text = await deployAndRun(owner, [
    {
      id: "text",
      type: "script",
      config: {
        source: `
          const file = await context.files.write("a.txt", "grüß 🎉".repeat(100000));
          const head = await context.files.read(file, { to: 6, as: "text" });
          const open = await context.files.create("never closed");
          await open.write(new Uint8Array([1]));
          let refused;
          await context.files.read({ $file: "file_x" }).catch((error) => { refused = error.message });
          return { size: file.size, head, refused };`,
      },
    },
  ]);
  expect(text.output).toEqual({
    size: 1_100_000,
    head: "grüß",
    refused: "/0: the file file_x does not exist, or this run can't read it.",
  });
});

test("hostile upstreams: wrong lengths, oversized files, endless redirects, and aborted transfers", async () => {
  const { createServer } = await import("node:net");
  const liar = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (data) => {
      const path = String(data).split(" ")[1];
      const head = "HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\n";
      if (path === "/short") socket.end(`${head}content-length: 1000\r\n\r\nshort`);
      else if (path === "/huge") {
        socket.write(`${head}\r\n`);
        const more = (error?: Error | null): void => {
          if (!error) socket.write(Buffer.alloc(262_144), more);
        };
        more();
      } else if (path === "/slow") socket.write(`${head}content-length: 10\r\n\r\n12`);
      else socket.end("HTTP/1.1 302 Found\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
  const { port } = liar.address() as { port: number };
  const fetchFrom = (path: string, timeoutMs = 120_000) =>
    deployAndRun(owner, [
      {
        id: "fetch",
        type: "http",
        timeoutMs,
        config: { url: `http://127.0.0.1:${port}${path}`, response: "file", redirects: 3 },
      },
    ]);
  expect((await fetchFrom("/short")).error.code).toBe("network");
  expect((await fetchFrom("/huge")).error).toMatchObject({ code: "file_too_large" });
  expect((await fetchFrom("/slow", 300)).error.code).toBe("timeout");
  expect((await fetchFrom("/loop")).error.message).toContain("more than 3 redirects");
  liar.close();
  const left = "select count(*)::int as n from blobs where state = 'pending'";
  await until(async () => (await world.sql(left))[0]?.["n"] === 0);
});

test("an aborted attempt leaves no files, and files are deleted with their run", async () => {
  const run = await deployAndRun(owner, [
    {
      id: "twice",
      type: "script",
      retry: { maxAttempts: 2, backoffMs: 1, strategy: "fixed" },
      config: {
        source: `
          const { body } = await context.http.request({ url: "${url}/attempt" });
          const file = await context.files.write("try.txt", String(body));
          const { status } = await context.http.request({ url: "${url}/once" });
          if (status === 503) throw new Error("once");
          return file;`,
      },
    },
  ]);
  expect([run.error, stepsOf(run)["twice"]?.attempts]).toEqual([null, 2]);
  const ofRun = "select id from files where attached_type = 'run' and attached_id = $1";
  expect(await world.sql(ofRun, [run.id])).toEqual([{ id: run.output.$file }]);
  world.clock.advance(8 * DAY_MS);
  await until(async () => {
    await collectFiles(world.kernel, 1_000);
    return (await world.sql(ofRun, [run.id])).length === 0;
  });
  expect((await owner(`GET /api/v1/files/${run.output.$file}`)).status).toBe(404);
});
