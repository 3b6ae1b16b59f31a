import Type from "typebox";
import { FileTooLarge, QuotaExceeded } from "#domains/files/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure, Invalid, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { accepted, item, page } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { MailAccepted, MailboxTested, MailRetried } from "../events.ts";
import { insertMail, MailboxFull, storeMail } from "../intake/accept.ts";
import { settleMailJob } from "../intake/settle-job.ts";
import { findTarget } from "../intake/target.ts";
import { MailboxId } from "../mailbox.ts";
import { mailboxes } from "../mailbox-resource.ts";
import { MailRead, MailReceive, MailWrite } from "../permissions.ts";
import { withFolder } from "../imap/imap-session.ts";
import { MAIL_STATES, MailId, MailMessage, MailMessageDetail } from "./message.ts";
import { getMail, listMails } from "./store.ts";

const PATH = "/api/v1/itsm/mailboxes";
const OfMailbox = object({ id: MailboxId });
const OfMail = object({ id: MailboxId, mailId: MailId });
const EXAMPLE = { id: "mbx_01jzt3n5k8q2x4v6w8y0z2b4d6", mailId: "eml_01jzt3n5k8q2x4v6w8y0z2b4d6" };
/** Sorts after every id. */
const LAST = "eml_~";

const MailNotFailed = failure("mail_not_failed", 409, "Only failed e-mails can be retried.");
const NotFetched = failure(
  "mailbox_not_fetched",
  409,
  "Only mailboxes of the kind imap have a connection.",
);

export const listMessages = query({
  id: "mailboxes.list_messages",
  route: `GET ${PATH}/{id}/messages`,
  summary: "List e-mails of a mailbox, newest first",
  permission: MailRead,
  params: OfMailbox,
  query: object({ ...pageQuery, state: Type.Optional(Type.Enum([...MAIL_STATES])) }),
  response: page(MailMessage),
  example: { params: { id: EXAMPLE.id }, query: { limit: 50, state: "failed" } },
  async run({ tx, services: { cursors } }, { params, query: { limit, after, state } }) {
    const { id } = await mailboxes.store.get(tx, params.id);
    const list = `mails of ${id} ${state ?? ""}`;
    const before = after === undefined ? LAST : String(cursors.decode(list, after)[0]);
    const rows = await listMails(tx, id, { before, state, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (mail) => mail,
      (mail) => cursors.encode(list, [mail.id]),
    );
  },
});

const MailTransport = Type.Object(
  {
    listeners: Type.Array(
      Type.Object({
        protocol: Type.Enum(["smtp", "smtps", "lmtp"]),
        host: Type.String(),
        port: Type.Integer(),
      }),
      { description: "Addresses that receive e-mail, from `MILLRACE_MAIL_LISTEN`" },
    ),
    sends: Type.Boolean({
      description: "Whether the installation can send e-mail (`MILLRACE_SMTP_URL`)",
    }),
  },
  { title: "MailTransport" },
);

export const getTransport = query({
  id: "mailboxes.get_transport",
  route: "GET /api/v1/itsm/mail/transport",
  summary: "Get the e-mail transport settings of this installation",
  permission: MailRead,
  environmentScoped: false,
  response: item(MailTransport),
  run: async ({ services: { settings, mailer } }) => ({
    listeners: settings.mailListeners.map(({ protocol, host, port }) => ({ protocol, host, port })),
    sends: mailer.available,
  }),
});

export const getMessage = query({
  id: "mailboxes.get_message",
  route: `GET ${PATH}/{id}/messages/{mailId}`,
  summary: "Get an e-mail with its quoted text",
  description:
    "The original e-mail is the file `fileId`. It is deleted after the retention period.",
  permission: MailRead,
  params: OfMail,
  response: item(MailMessageDetail),
  example: { params: EXAMPLE },
  run: ({ tx }, { params }) => getMail(tx, params.id, params.mailId),
});

export const retryMessage = command({
  id: "mailboxes.retry_message",
  effect: "ordinary",
  route: `POST ${PATH}/{id}/messages/{mailId}/retry`,
  summary: "Retry a failed e-mail",
  description:
    "You can also retry an e-mail that was ignored because of a rule or the sender's rate limit.",
  permission: MailWrite,
  params: OfMail,
  response: accepted(MailMessage),
  emits: [MailRetried],
  fails: [MailNotFailed],
  example: { params: EXAMPLE },
  async run(ctx, { params: { id, mailId } }) {
    const mail = await getMail(ctx.tx, id, mailId);
    const [row] = await ctx.send(
      `update mails set state = 'waiting', reason = null, detail = null, ended_at = null, message_id = null
        where id = $1 and file_id is not null
          and (state = 'failed' or (state = 'ignored' and reason in ('rule', 'rate')))
       returning 1 as n`,
      [mailId],
    );
    if (!row) throw new Failure(MailNotFailed);
    const payload = { mailId, ...partitionOfCaller(ctx.caller) };
    ctx.enqueue(settleMailJob, payload, { key: mailId, onConflict: "move" });
    const { mailboxId, from, reason } = mail;
    ctx.emit(
      MailRetried,
      { id: mailId },
      { id: mailId, mailboxId, from, ticket: null, reason: reason ?? "" },
    );
    return { ...mail, state: "waiting" as const, reason: null, detail: null, endedAt: null };
  },
});

const TestResult = Type.Object(
  {
    ok: Type.Boolean(),
    error: Type.Optional(Type.String()),
    waiting: Type.Optional(Type.Integer({ description: "Number of e-mails in the folder" })),
  },
  { title: "MailboxTest" },
);

export const testMailbox = command({
  id: "mailboxes.test",
  effect: "ordinary",
  actsOutside: true,
  route: `POST ${PATH}/{id}/test`,
  summary: "Test the connection of an IMAP mailbox",
  description: "Signs in and opens the folder. No e-mails are fetched.",
  permission: MailWrite,
  params: OfMailbox,
  response: item(TestResult),
  emits: [MailboxTested],
  fails: [NotFetched],
  longRunning: true,
  example: { params: { id: EXAMPLE.id } },
  prepare: (platform, { params }, caller) => tryConnection(platform, caller, params.id),
  async run(ctx, { params: { id } }, result) {
    ctx.emit(MailboxTested, { id }, { ok: result.ok });
    return result;
  },
});

async function tryConnection(platform: Platform, caller: Caller, id: string) {
  const partition = partitionOfCaller(caller);
  const mailbox = await platform.db.read(partition, (tx) => mailboxes.store.get(tx, id));
  if (mailbox.kind !== "imap") throw new Failure(NotFetched);
  try {
    const waiting = await withFolder(platform, { mailbox, partition }, async ({ client }) =>
      client.mailbox ? client.mailbox.exists : 0,
    );
    return { ok: true, waiting };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

export const receiveMail = command({
  id: "mail.receive",
  effect: "ordinary",
  route: "POST /api/v1/itsm/mail",
  summary: "Submit an e-mail",
  description:
    "For e-mail providers that forward e-mails by HTTP. The body is the original e-mail (`message/rfc822`). `to` is the address of a mailbox in this workspace and environment. The API token only needs the scope `mail:receive`. Later events contain the outcome.",
  permission: MailReceive,
  query: object({
    to: line(320, "Recipient address"),
    from: Type.Optional(line(320, "Return path. Omit it if unknown")),
  }),
  streamsBody: true,
  response: accepted(MailMessageDetail),
  emits: [MailAccepted],
  fails: [FileTooLarge, QuotaExceeded, MailboxFull],
  example: { query: { to: "desk@example.com" } },
  async prepare(platform, { query: { to } }, caller) {
    const partition = partitionOfCaller(caller);
    const target = await findTarget(platform, to);
    const isHere =
      target?.partition.workspace === partition.workspace &&
      target.partition.environment === partition.environment;
    if (!target || !isHere || !target.enabled) {
      throw new Failure(NotFound, { detail: "The mailbox does not exist." });
    }
    if (target.isFull) throw new Failure(MailboxFull);
    const { upload } = caller;
    if (!upload) throw new Failure(Invalid, { detail: "The body must be an e-mail." });
    const content = boundBytes(upload.content, platform.settings.mailBytesMax);
    return { target, stored: await storeMail(platform, target, content) };
  },
  async run(ctx, { query: { from } }, { target, stored }) {
    const returnPath = from === undefined || from === "" ? target.recipient : from;
    const id = await insertMail(ctx, { source: "http", returnPath, target, stored });
    return getMail(ctx.tx, target.mailboxId, id);
  },
});

async function* boundBytes(content: AsyncIterable<Uint8Array>, bytesMax: number) {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Failure(FileTooLarge, { extra: { bytesMax } });
    yield chunk;
  }
}
