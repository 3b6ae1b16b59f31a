import { once } from "node:events";
import { Readable } from "node:stream";
import Type, { type Static } from "typebox";
import { isFileReference } from "#domains/files/index.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { sqlStateOf } from "#kernel/db/errors.ts";
import { toOutboundFailure } from "#kernel/outbound/error.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { withDeadline } from "../upstream/deadline.ts";
import { UpstreamError, upstreamErrorOf } from "../upstream/upstream-error.ts";
import { withRetries } from "../upstream/retry.ts";
import { hostErrors } from "../upstream/target.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import { action, connectorType, limits } from "./connector-type.ts";
import { hostName } from "../upstream/target.ts";
import { notDestination } from "../destination-mark.ts";

const config = object({
  host: hostName("Host of the mail server"),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 587 }),
  security: Type.Enum(["tls", "starttls", "none"], {
    default: "starttls",
    description:
      "`tls`: encrypted from the start (port 465). `starttls`: encrypted before the sign-in. `none`",
  }),
  from: Type.Optional(notDestination(line(500, "Default sender"))),
  ...limits,
});
type Config = Static<typeof config>;

const RECIPIENTS_MAX = 100;
/** The limit for all files of a mail; few servers accept more. */
const FILE_BYTES_MAX = 50 * 1_048_576;
const Recipients = Type.Union([
  line(500),
  Type.Array(line(500), { minItems: 1, maxItems: RECIPIENTS_MAX }),
]);

const Input = object({
  to: Recipients,
  cc: Type.Optional(Recipients),
  bcc: Type.Optional(Recipients),
  from: Type.Optional(line(500)),
  replyTo: Type.Optional(line(500)),
  subject: line(1_000),
  text: Type.Optional(text(500_000)),
  html: Type.Optional(text(500_000)),
  attachments: Type.Optional(
    Type.Array(
      Type.Union([
        object({
          filename: line(255),
          content: Type.String({ description: "In base64" }),
          contentType: Type.Optional(line(200)),
        }),
        Type.Object(
          { $file: Type.String() },
          { additionalProperties: true, description: "A file" },
        ),
      ]),
      {
        maxItems: 20,
        description: "Files of at most 50 MiB in total, or contents with their names",
      },
    ),
  ),
});
type Input = Static<typeof Input>;

/** A mail server. */
export const smtp = connectorType({
  type: "smtp",
  summary: "A mail server",
  config,
  authKinds: ["none", "basic"],
  actions: [
    action<Config, typeof Input>({
      name: "send",
      summary: "Sends an e-mail. Returns its `messageId` and the accepted recipients",
      input: Input,
      run: (connection, input) =>
        // Once the server has seen the message, it may have sent it.
        withRetries({ ...connection, idempotent: false }, () => send(connection, input)),
    }),
  ],
  check: (platform, { host }) => hostErrors(platform, "/config/host", host),
  async test(connection) {
    await withTransport(connection, (transport) => transport.verify());
    return {};
  },
});

async function send(connection: UpstreamConnection<Config>, input: Input): Promise<unknown> {
  const { attachments, ...mail } = input;
  const { idempotencyKey } = connection;
  const parts = attachments && (await openAttachments(connection, attachments));
  const mailed = await withTransport(connection, (transport) =>
    transport.sendMail({
      ...mail,
      from: input.from ?? connection.config.from,
      // All attempts use the same message id, so that servers can detect duplicates.
      ...(idempotencyKey !== undefined && {
        messageId: `<${sha256(idempotencyKey).toString("hex").slice(0, 40)}@millrace>`,
      }),
      ...(parts && { attachments: parts }),
    }),
  );
  const { messageId, accepted, rejected, response } = mailed;
  return { messageId, accepted, rejected, response };
}

/** Converts attachments for the transport; files are streamed while sending. */
async function openAttachments(
  { files }: UpstreamConnection<Config>,
  attachments: NonNullable<Input["attachments"]>,
): Promise<readonly object[]> {
  const parts: object[] = [];
  let bytes = 0;
  for (const [index, one] of attachments.entries()) {
    if (!isFileReference(one)) {
      parts.push({ ...one, encoding: "base64" });
      continue;
    }
    const { file, read } = await files.open(one, `/input/attachments/${index}`);
    bytes += file.size;
    if (bytes > FILE_BYTES_MAX) {
      throw new UpstreamError(`/input/attachments/${index}: the files exceed 50 MiB in total.`);
    }
    parts.push({
      filename: file.name,
      contentType: file.mediaType,
      content: Readable.from(read(), { objectMode: false }),
    });
  }
  return parts;
}

/** The part of nodemailer's transport used here. */
interface Transport {
  verify(): Promise<unknown>;
  sendMail(mail: object): Promise<SentMail>;
  close(): void;
}

interface SentMail {
  readonly messageId: string;
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
  readonly response: string;
}

/** One SMTP session, over a connection that only reaches permitted addresses. */
async function withTransport<T>(
  connection: UpstreamConnection<Config>,
  work: (transport: Transport) => Promise<T>,
) {
  const { platform, config: smtpConfig, auth, deadline } = connection;
  // Loaded on first use: many installations send no mail, and the library needs memory.
  const { createTransport } = await import("nodemailer");
  const socket = platform.outbound.socket();
  // A broken socket is reported by the awaited operation.
  socket.on("error", () => undefined);
  deadline.signal.addEventListener("abort", () => socket.destroy(), { once: true });
  try {
    const connected = once(socket, "connect", { signal: deadline.signal });
    socket.connect(smtpConfig.port, smtpConfig.host);
    await withDeadline(deadline, connected);
  } catch (error) {
    deadline.signal.throwIfAborted();
    throw upstreamErrorOf(toOutboundFailure(error, `smtp ${smtpConfig.host}`));
  }
  const { secureContext } = platform.outbound;
  const timeoutMs = deadline.remainingMs();
  const transport = createTransport({
    host: smtpConfig.host,
    port: smtpConfig.port,
    secure: smtpConfig.security === "tls",
    requireTLS: smtpConfig.security === "starttls",
    ignoreTLS: smtpConfig.security === "none",
    tls: { rejectUnauthorized: true, ...(secureContext && { secureContext }) },
    ...(auth.kind === "basic" && { auth: { user: auth.username, pass: auth.password } }),
    getSocket: (_options: unknown, done: (error: null, result: object) => void) =>
      done(null, { connection: socket }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    // Its types do not know `getSocket` of this form.
  } as never) as unknown as Transport;
  try {
    return await withDeadline(deadline, work(transport));
  } catch (error) {
    deadline.signal.throwIfAborted();
    throw toSmtpError(connection, error);
  } finally {
    transport.close();
    socket.destroy();
  }
}

/** Converts an error of a mail server. Only 421 means temporarily unavailable. */
function toSmtpError(
  { config: smtpConfig, scrubber }: UpstreamConnection<Config>,
  error: unknown,
): unknown {
  if (!(error instanceof Error) || sqlStateOf(error) === undefined) return error;
  const { responseCode, response } = error as { responseCode?: unknown; response?: unknown };
  if (typeof responseCode === "number") {
    const words = typeof response === "string" ? `: ${response.slice(0, 500)}` : "";
    return new UpstreamError(scrubber.scrub(`The mail server returned ${responseCode}${words}`), {
      status: responseCode,
      isDown: responseCode === SERVICE_NOT_AVAILABLE,
    });
  }
  if (NOT_THE_SERVER.test(sqlStateOf(error) ?? "")) {
    return new UpstreamError(scrubber.scrub(error.message));
  }
  return upstreamErrorOf(toOutboundFailure(error, `smtp ${smtpConfig.host}`));
}

const SERVICE_NOT_AVAILABLE = 421;
/** Local errors, without a response from the server: no recipients, sender, credentials or message. */
const NOT_THE_SERVER = /^E(ENVELOPE|AUTH|NOAUTH|MESSAGE|STREAM)$/;
