import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { upload } from "#domains/files/testing/upload.ts";
import { TEST_IDENTITY } from "#kernel/outbound/testing/server.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { startUpstream } from "../testing/upstream.ts";
import { createConnector } from "../testing/connector.ts";

const upstream = await useFixture(startUpstream());
const world = await useWorld({ env: upstream.env });
const owner = await world.member(["owner"]);

const made = (type: string, config: object, auth?: object) =>
  createConnector(owner, type, config, auth);

let server: SMTPServer;
let port: number;
let mails: { from: string; to: string[]; text: string }[] = [];
let secured: boolean[] = [];
beforeAll(async () => {
  server = new SMTPServer({
    ...TEST_IDENTITY,
    authOptional: true,
    onAuth({ username, password }, _session, done) {
      if (username === "ada" && password === "smtp-pass-77") return done(null, { user: "ada" });
      done(new Error(`Invalid login: ${password}`));
    },
    onRcptTo({ address }, _session, done) {
      done(address.startsWith("nobody") ? new Error("No such mailbox") : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        secured.push(session.secure);
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  ({ port } = server.server.address() as AddressInfo);
});
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));
beforeEach(() => {
  mails = [];
  secured = [];
});

const basic = { kind: "basic", username: "ada", password: "smtp-pass-77" };
const config = (more: object = {}) => ({
  host: "127.0.0.1",
  port,
  from: "ops@example.com",
  ...more,
});

test("a mail is sent over TLS, with attachments and a stable id", async () => {
  const { invoke, test: tryOut } = await made("smtp", config(), basic);
  const mail = {
    to: ["Bob <bob@example.com>"],
    cc: "carol@example.com",
    subject: "Grüße",
    text: "Hello",
    html: "<b>Hello</b>",
    attachments: [{ filename: "a.txt", content: Buffer.from("attached words").toString("base64") }],
  };
  const sent = await invoke("send", mail, { idempotencyKey: "mail-1" });
  expect(sent.body.data).toMatchObject({
    accepted: ["bob@example.com", "carol@example.com"],
    rejected: [],
    messageId: expect.stringMatching(/^<[0-9a-f]{40}@millrace>$/),
  });
  expect(mails).toMatchObject([
    { from: "ops@example.com", to: ["bob@example.com", "carol@example.com"] },
  ]);
  expect(mails[0]?.text).toContain(Buffer.from("attached words").toString("base64"));
  expect(secured).toEqual([true]);
  const again = await invoke("send", mail, { idempotencyKey: "mail-1" });
  expect(again.body.data.messageId).toBe(sent.body.data.messageId);
  expect(await tryOut()).toMatchObject({ ok: true, status: "up", upstreamStatus: null });
});

test("sends stored files unchanged with their names, up to 50 MiB in total", async () => {
  const { invoke } = await made("smtp", config(), basic);
  const name = 'Gr\u00fc\u00dfe "\u65e5\u672c".txt';
  const small = (await upload(world, owner, "of the store", { name })).body.data;
  const to = { to: "bob@example.com", subject: "s" };
  const sent = await invoke("send", { ...to, attachments: [{ $file: small.id, name: "lie.exe" }] });
  expect(sent.status).toBe(200);
  const text = mails[0]?.text ?? "";
  expect(text).toContain(Buffer.from("of the store").toString("base64"));
  // RFC 2231 continuations; the type was detected by the store.
  const parts = [...text.matchAll(/filename\*\d\*?=(?:utf-8'')?"?([^;"\s]+)/gi)].map(
    ([, part]) => part,
  );
  expect(decodeURIComponent(parts.join(""))).toBe(name);
  expect(text).toContain("Content-Type: text/plain");
  expect(text).not.toContain("lie.exe");
  const large = (await upload(world, owner, Buffer.alloc(20 * 1_048_576), { name: "l" })).body.data;
  const refused = await invoke("send", { ...to, attachments: Array(3).fill({ $file: large.id }) });
  expect([refused.status, refused.body.detail]).toEqual([
    502,
    expect.stringContaining("/input/attachments/2: the files exceed 50 MiB in total."),
  ]);
  expect(mails).toHaveLength(1);
});

test("plain text is used only if configured", async () => {
  const { invoke } = await made("smtp", config({ security: "none" }));
  expect((await invoke("send", { to: "b@example.com", subject: "s", text: "t" })).status).toBe(200);
  expect(secured).toEqual([false]);
  const tls = await made("smtp", config({ security: "tls", timeoutMs: 60_000, retries: 0 }));
  expect((await tls.invoke("send", { to: "b@example.com", subject: "s" })).body).toMatchObject({
    code: "upstream_failed",
  });
  expect(mails).toHaveLength(1);
});

test("server errors are returned with the reply, and without the password", async () => {
  const wrong = await made("smtp", config(), { ...basic, password: "wrong-pass-99" });
  const refused = await wrong.invoke("send", { to: "b@example.com", subject: "s" });
  expect(refused).toMatchObject({
    status: 502,
    body: { code: "upstream_failed", upstreamStatus: 535 },
  });
  expect(refused.body.detail).toContain("Invalid login: [secret password]");
  expect(await wrong.test()).toMatchObject({ ok: false, status: "down" });
  const { invoke } = await made("smtp", config(), basic);
  const nobody = await invoke("send", { to: "nobody@example.com", subject: "s" });
  expect(nobody.body.detail).toContain("No such mailbox");
  const some = await invoke("send", {
    to: ["nobody@example.com", "b@example.com"],
    subject: "s",
  });
  expect(some.body.data).toMatchObject({
    accepted: ["b@example.com"],
    rejected: ["nobody@example.com"],
  });
  expect((await invoke("send", { subject: "s" })).body.errors).toMatchObject([
    { path: "/input/to" },
  ]);
});

test("connection failures and missing greetings are failures", async () => {
  const gone = await made("smtp", { host: "127.0.0.1", port: 9, retries: 1 });
  expect((await gone.invoke("send", { to: "b@example.com", subject: "s" })).body).toMatchObject({
    code: "upstream_failed",
    detail: expect.stringContaining("ECONNREFUSED"),
  });
  // Some servers wait for the client, and never send a greeting.
  const silent = await made("smtp", {
    host: "127.0.0.1",
    port: Number(new URL(upstream.url).port),
    timeoutMs: 150,
  });
  expect(await silent.invoke("send", { to: "b@example.com", subject: "s" })).toMatchObject({
    status: 504,
    body: { code: "upstream_timed_out" },
  });
});

test("a mail cannot read local files or internal URLs", async () => {
  const { invoke } = await made("smtp", config(), basic);
  for (const attachment of [
    { filename: "x", path: "/etc/passwd" },
    { filename: "x", href: upstream.url },
    { filename: "x", content: { path: "/etc/passwd" } },
  ]) {
    const mail = { to: "b@example.com", subject: "s", attachments: [attachment] };
    expect((await invoke("send", mail)).status).toBe(422);
  }
  const text = { path: "/etc/passwd" };
  expect((await invoke("send", { to: "b@example.com", subject: "s", text })).status).toBe(422);
  expect(mails).toEqual([]);
});
