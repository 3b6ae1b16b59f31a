import { createRequire } from "node:module";
import { afterAll, expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { acceptMail } from "../intake/accept.ts";
import { INCIDENTS, MAILBOXES, plainMail, settled } from "../testing/desk.ts";

/** The package has no types. */
const hoodiecrow = createRequire(import.meta.url)("hoodiecrow-imap");

const imapServer = (uidvalidity: number, messages: readonly string[]) => {
  const server = hoodiecrow({
    plugins: ["ID"],
    users: { desk: { password: "hunter2 and more" } },
    storage: {
      INBOX: { uidvalidity, messages: messages.map((raw) => ({ raw })) },
    },
  });
  return new Promise<{ server: any; port: number }>((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve({ server, port: server.server.address().port as number }),
    );
  });
};

const world = await useWorld({
  work: true,
  env: {
    MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32",
    MILLRACE_MAILBOX_MAX_MIB: "1",
    MILLRACE_MAIL_RETENTION_DAYS: "1",
  },
});
const owner = await world.member(["owner"]);
const old = plainMail({ from: "a@b.example", to: "imap@acme.example", id: "old@b.example" });
const { server, port } = await imapServer(1, [old]);
afterAll(() => server.close());

const mail = (id: string) =>
  plainMail({ from: "a@b.example", to: "imap@acme.example", id, subject: `Mail ${id}` });
const titles = async () =>
  (await owner(`GET ${INCIDENTS}?limit=50`)).body.data.map(({ title }: any) => title).toSorted();

test("mails are fetched once each, also after crashes and a restarted numbering", async () => {
  await owner("POST /api/v1/secrets", { name: "IMAP", value: "hunter2 and more" });
  const imap = {
    host: "127.0.0.1",
    port,
    security: "none",
    username: "desk",
    secret: "IMAP",
    folder: "INBOX",
  };
  const builder = await world.member(["agent"]);
  const input = { name: "Desk", address: "imap@acme.example", kind: "imap", imap };
  expect(await builder(`POST ${MAILBOXES}`, input)).toMatchObject({ status: 403 });
  const refused = { ...input, imap: { ...imap, host: "10.0.0.1" } };
  expect(await owner(`POST ${MAILBOXES}`, refused)).toMatchObject({ status: 422 });
  const made = await owner(`POST ${MAILBOXES}`, input);
  expect(made.status).toBe(201);
  const { id } = made.body.data;
  expect(await owner(`POST ${MAILBOXES}/${id}/test`)).toMatchObject({
    events: ["mailbox.tested"],
    body: { data: { ok: true, waiting: 1 } },
  });
  /** Waits for a poll that started after this call. */
  const poll = async () => {
    const [before] = await world.sql(
      "select polled_at from mailbox_cursors where mailbox_id = $1",
      [id],
    );
    world.clock.advance(61_000);
    await until(async () => {
      const [now] = await world.sql(
        "select polled_at, error from mailbox_cursors where mailbox_id = $1",
        [id],
      );
      const waiting = await world.sql(
        "select from jobs where kind = 'mail.poll' and failed_at is null",
      );
      if (waiting.length > 0 || !now) return false;
      return String(now.polled_at) !== String(before?.polled_at);
    });
    await settled(world);
  };
  // Messages from before the mailbox was created are not fetched.
  await poll();
  expect(await titles()).toEqual([]);
  server.appendMessage("INBOX", [], false, mail("one@b.example"));
  server.appendMessage("INBOX", [], false, mail("two@b.example"));
  // The commit fails, so neither the mail nor the position is stored.
  await world.sql("revoke insert on mails from millrace_app");
  await poll();
  expect((await owner(`GET ${MAILBOXES}/${id}`)).body.data.pollError).toMatch(/permission denied/);
  await world.sql("grant insert on mails to millrace_app");
  await poll();
  expect(await titles()).toEqual(["Mail one@b.example", "Mail two@b.example"]);
  await poll();
  expect((await owner(`GET ${MAILBOXES}/${id}`)).body.data.pollError).toBe(null);
  expect(await titles()).toHaveLength(2);
  // A full mailbox fetches and stores nothing.
  const blobs = async () => (await world.sql("select from blobs")).length;
  const before = await blobs();
  server.appendMessage("INBOX", [], false, mail("two@b.example"));
  await world.sql("update mailboxes set mail_bytes = mail_bytes + 1048576 where id = $1", [id]);
  await poll();
  expect((await owner(`GET ${MAILBOXES}/${id}`)).body.data.pollError).toMatch(
    /has reached its storage limit/,
  );
  expect(await blobs()).toBe(before);
  await world.sql("update mailboxes set mail_bytes = 1048575 where id = $1", [id]);
  await poll();
  expect(await blobs()).toBe(before);
  await world.sql("update mailboxes set mail_bytes = 0 where id = $1", [id]);
  // All messages have new numbers, and one is new. Known messages are recognised by id.
  const again = await imapServer(2, [
    mail("one@b.example"),
    mail("two@b.example"),
    mail("three@b.example"),
  ]);
  await owner(`PATCH ${MAILBOXES}/${id}`, { imap: { ...imap, port: again.port } });
  await poll();
  again.server.close();
  expect(await titles()).toEqual([
    "Mail one@b.example",
    "Mail three@b.example",
    "Mail two@b.example",
  ]);
  const reasons = await world.sql("select reason from mails order by id");
  expect(reasons.map(({ reason }) => reason)).toEqual([
    "new",
    "new",
    "duplicate",
    "duplicate",
    "new",
  ]);
});

test("a mailbox has a size limit, and accepts mails again after deletions", async () => {
  const address = "full@acme.example";
  const made = await owner(`POST ${MAILBOXES}`, { name: "Full", address, kind: "smtp" });
  const { id } = made.body.data;
  const text = "x".repeat(400_000);
  const hand = (n: number) =>
    owner(
      `POST /api/v1/itsm/mail?to=${address}&from=a@b.example`,
      plainMail({ from: "a@b.example", to: address, id: `${n}@b.example`, text }),
      { "content-type": "message/rfc822" },
    );
  expect((await hand(1)).status).toBe(202);
  expect((await hand(2)).status).toBe(202);
  const pending = async () => (await world.sql("select from blobs where state = 'pending'")).length;
  const before = await pending();
  const refused = await hand(3);
  expect(refused).toMatchObject({ status: 507, body: { code: "mailbox_full" }, events: [] });
  // Repeated attempts leave no stored content.
  expect(await pending()).toBe(before);
  const bytes = async () =>
    (await world.sql("select mail_bytes::int as n from mailboxes where id = $1", [id]))[0].n;
  expect(await bytes()).toBeGreaterThan(800_000);
  await settled(world);
  world.clock.advance(2 * 86_400_000);
  await until(async () => (await bytes()) === 0);
  expect((await hand(4)).status).toBe(202);
});

test("a mail for several mailboxes locks them in a fixed order, which prevents deadlocks", async () => {
  const partition = { workspace: world.home, environment: "production" } as const;
  const { db } = world.kernel;
  const make = async (name: string): Promise<string> => {
    const address = `${name}@acme.example`;
    return (await owner(`POST ${MAILBOXES}`, { name, address, kind: "smtp" })).body.data.id;
  };
  const [first, second] = [await make("left"), await make("right")].toSorted();
  const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lock = "select 1 as n from mailboxes where id = $1 for update";
  const holding = db.write(partition, async (session) => {
    await session.send(lock, [first]);
    held.resolve();
    await gate.promise;
  });
  await held.promise;
  const targets = [second, first].map((mailboxId) => ({
    mailboxId: String(mailboxId),
    partition,
    recipient: "both@acme.example",
    roomBytes: 1_048_576,
  }));
  const content = (async function* mail() {
    yield Buffer.from(
      plainMail({ from: "a@b.example", to: "both@acme.example", id: "x@b.example" }),
    );
  })();
  const accepted = acceptMail(world.kernel, { source: "smtp", returnPath: null, targets }, content);
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%mail_bytes%'`;
  await until(async () => (await world.sql(waiting)).length > 0);
  // It must not hold another lock while waiting for the first.
  await db.write(partition, (session) => session.send(`${lock} nowait`, [second]));
  gate.resolve();
  await Promise.all([holding, accepted]);
});
