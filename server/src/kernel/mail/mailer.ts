import type { Transporter } from "nodemailer";
import { failure } from "../operation/failure.ts";

export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
  /** The image name used in the HTML. */
  readonly cid?: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The conversation of the e-mail. */
  readonly threadId?: string;
  readonly html?: string;
  readonly attachments?: readonly MailAttachment[];
}

/** An e-mail whose sender sets all fields. */
export interface ComposedMail extends Omit<Mail, "threadId"> {
  readonly from: { readonly name: string; readonly address: string };
  readonly replyTo: string;
  readonly html: string;
  /** Without brackets, like the following ids. */
  readonly messageId: string;
  readonly references: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly MailAttachment[];
}

/** The sender address and the reply address. */
export interface MailSettings {
  readonly smtpUrl: string | undefined;
  readonly from: string;
  readonly replyTo: string | undefined;
}

export const MailNotConfigured = failure(
  "mail_not_configured",
  409,
  "This installation can't send e-mail. An operator can set MILLRACE_SMTP_URL.",
);

const TIMEOUT_MS = 20_000;

/** The SMTP client of the operator's mail server. */
export class Mailer {
  readonly #smtpUrl: string | undefined;
  readonly #from: string;
  readonly #replyTo: string;
  /** The right part of message ids, which must be globally unique. */
  readonly #domain: string;
  #transport: Transporter | undefined;

  constructor({ smtpUrl, from, replyTo }: MailSettings) {
    this.#smtpUrl = smtpUrl;
    this.#from = from;
    this.#replyTo = replyTo ?? from;
    this.#domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? "localhost";
  }

  get available(): boolean {
    return this.#smtpUrl !== undefined;
  }

  /** All attempts have the same `id`, so that a mail server can detect repetitions. */
  async send({ threadId, ...mail }: Mail, id: string): Promise<void> {
    const transport = await this.#open();
    const messageId = (name: string): string => `<${name}@${this.#domain}>`;
    // All e-mails of a conversation reply to this id to be grouped by clients.
    const thread = threadId === undefined ? undefined : messageId(threadId);
    await transport.sendMail({
      ...mail,
      attachments: [...(mail.attachments ?? [])],
      from: this.#from,
      replyTo: this.#replyTo,
      messageId: messageId(id),
      ...(thread !== undefined && { inReplyTo: thread, references: thread }),
      // Prevents automatic replies.
      headers: { "Auto-Submitted": "auto-generated" },
    });
  }

  /** Sends an e-mail unchanged. Delivery failures are reported to its sender. */
  async sendComposed({ messageId, references, to, from, ...mail }: ComposedMail): Promise<void> {
    const transport = await this.#open();
    const ids = references.map((id) => `<${id}>`);
    await transport.sendMail({
      ...mail,
      to,
      from,
      envelope: { from: from.address, to },
      messageId: `<${messageId}>`,
      ...(ids.length > 0 && { inReplyTo: ids.at(-1), references: ids.join(" ") }),
      attachments: [...mail.attachments],
    });
  }

  close(): void {
    this.#transport?.close();
  }

  async #open(): Promise<Transporter> {
    if (this.#smtpUrl === undefined) throw new Error("No mail server is configured.");
    // Loaded for the first e-mail, because it uses memory and many installations send none.
    const { createTransport } = await import("nodemailer");
    this.#transport ??= createTransport(this.#smtpUrl, {
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    } as never);
    return this.#transport;
  }
}
