import { createRequire } from "node:module";
import { afterAll, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

/** The package has no types. */
const hoodiecrow = createRequire(import.meta.url)("hoodiecrow-imap");

const mail = (subject: string, body = "Hello") =>
  `From: Ada <ada@b.example>\r\nTo: desk@acme.example\r\nSubject: ${subject}\r\n` +
  `Message-ID: <${subject}@b.example>\r\nDate: Mon, 02 Nov 2026 10:00:00 +0000\r\n\r\n${body}`;
const WITH_FILE = [
  "From: Ada <ada@b.example>",
  "To: desk@acme.example",
  "Subject: Invoice",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="edge"',
  "",
  "--edge",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Stra=C3=9Fe",
  "--edge",
  'Content-Type: text/csv; name="lines.csv"',
  'Content-Disposition: attachment; filename="lines.csv"',
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("a,b\n1,2\n").toString("base64"),
  "--edge--",
  "",
].join("\r\n");

const server = hoodiecrow({
  plugins: ["ID", "UIDPLUS", "MOVE", "SPECIAL-USE"],
  users: { desk: { password: "hunter2 and more" } },
  storage: {
    INBOX: {
      messages: [
        { raw: mail("First") },
        { raw: mail("Second"), flags: ["\\Seen"] },
        { raw: WITH_FILE },
      ],
    },
    "": { folders: { Done: {} } },
  },
});
const port = await new Promise<number>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve(server.server.address().port));
});
afterAll(() => server.close());

const world = await useWorld({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
const owner = await world.member(["owner"]);
const ALL = "/api/v1/connectors";

async function made(config: object = {}, password = "hunter2 and more") {
  const { body, status } = await owner(`POST ${ALL}`, {
    name: "Desk",
    type: "imap",
    config: { host: "127.0.0.1", port, security: "none", ...config },
    auth: { kind: "basic", username: "desk", password },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const path = `${ALL}/${body.data.id}`;
  const invoke = (action: string, input: object = {}) =>
    owner(`POST ${path}/invoke`, { action, input });
  return {
    invoke,
    run: async (action: string, input: object = {}) => {
      const answer = await invoke(action, input);
      return answer.body.data ?? answer.body;
    },
    test: async () => (await owner(`POST ${path}/test`)).body.data,
  };
}

test("messages are found, read with their files, and stay unread", async () => {
  const { run, invoke, test: tryOut } = await made();
  const found = await invoke("search");
  expect(found.events).toEqual(["connector.invoked", "connector.status_changed"]);
  expect(found.body.data.messages.map(({ uid, subject }: any) => [uid, subject])).toEqual([
    [3, "Invoice"],
    [2, "Second"],
    [1, "First"],
  ]);
  expect(found.body.data.messages[2]).toMatchObject({
    from: [{ name: "Ada", address: "ada@b.example" }],
    date: "2026-11-02T10:00:00.000Z",
    flags: [],
  });
  const uidsOf = async (input: object) => {
    const { messages } = await run("search", input);
    return messages.map(({ uid }: any) => uid);
  };
  expect(await uidsOf({ seen: false })).toEqual([3, 1]);
  expect(await uidsOf({ subject: "Second" })).toEqual([2]);
  expect(await uidsOf({ afterUid: 2 })).toEqual([3]);
  expect(await uidsOf({ afterUid: 3 })).toEqual([]);
  expect(await run("search", { limit: 1 })).toMatchObject({ messages: [{ uid: 3 }], total: 3 });
  expect(await run("fetch", { uid: 1 })).toMatchObject({
    text: "Hello",
    html: null,
    attachments: [],
  });
  const invoice = await run("fetch", { uid: 3 });
  expect(invoice.text.trim()).toBe("Straße");
  expect(invoice.attachments).toMatchObject([
    { part: "2", name: "lines.csv", mediaType: "text/csv" },
  ]);
  const { file } = await run("fetch_attachment", { uid: 3, part: "2" });
  expect(file).toMatchObject({ name: "lines.csv", size: 8 });
  expect(await uidsOf({ seen: false })).toEqual([3, 1]);
  expect((await invoke("fetch", { uid: 99 })).body.detail).toContain("message 99 does not exist");
  expect(await tryOut()).toMatchObject({ ok: true, status: "up" });
});

test("flags, moves, adds and deletes messages if allowed", async () => {
  const reader = await made();
  for (const action of ["flag", "move", "append", "delete"]) {
    expect((await reader.invoke(action, { uids: [1] })).body.code).toBe("unknown_action");
  }
  const { run } = await made({ allowWrites: true });
  expect(await run("flag", { uids: [1], add: ["\\Seen", "\\Flagged"] })).toEqual({ flagged: 1 });
  expect((await run("search", { flagged: true })).messages).toMatchObject([{ uid: 1 }]);
  await run("flag", { uids: [1], remove: ["\\Flagged"] });
  expect((await run("search", { flagged: true })).messages).toEqual([]);
  expect((await run("list_folders")).folders.map(({ path }: any) => path)).toContain("Done");
  expect(await run("move", { uids: [2], to: "Done" })).toEqual({ moved: 1 });
  expect((await run("search", { folder: "Done" })).messages).toMatchObject([{ subject: "Second" }]);
  await run("append", { message: mail("Added"), flags: ["\\Seen"] });
  const { messages } = await run("search", { subject: "Added" });
  expect(messages).toMatchObject([{ subject: "Added", flags: ["\\Seen"] }]);
  expect(await run("delete", { uids: [messages[0].uid] })).toEqual({ deleted: 1 });
  expect((await run("search", { subject: "Added" })).total).toBe(0);
});

test("an error for a wrong password or a missing folder contains no password, and only permitted hosts are reached", async () => {
  const stranger = await made({}, "another word");
  const denied = await stranger.invoke("search");
  expect([denied.status, denied.body.code]).toEqual([502, "upstream_failed"]);
  expect(JSON.stringify(denied.body)).not.toContain("another word");
  const { invoke } = await made();
  expect((await invoke("search", { folder: "Nowhere" })).status).toBe(502);
  const guarded = await owner(`POST ${ALL}`, {
    name: "Inside",
    type: "imap",
    config: { host: "10.0.0.1" },
    auth: { kind: "basic", username: "x", password: "y" },
  });
  expect(guarded.body.errors).toMatchObject([{ path: "/config/host" }]);
});
