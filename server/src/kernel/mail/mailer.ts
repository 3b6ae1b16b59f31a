import type { Transporter } from "nodemailer";
import { failure } from "../operation/failure.ts";

export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
  /** The name by which the HTML shows it as a picture. */
  readonly cid?: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The conversation that it belongs to. */
  readonly threadId?: string;
  readonly html?: string;
  readonly attachments?: readonly MailAttachment[];
}

/** A mail of which whoever sends it decides everything. */
export interface ComposedMail extends Omit<Mail, "threadId"> {
  readonly from: { readonly name: string; readonly address: string };
  readonly replyTo: string;
  readonly html: string;
  /** Without brackets, as are the following. */
  readonly messageId: string;
  readonly references: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly MailAttachment[];
}

/** Where mails are sent from, and where answers to them go. */
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
  /** The right side of the ids of messages, which are to be unique in the world. */
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

  /** `id` is that of all attempts, so that a mail server can recognise a repetition. */
  async send({ threadId, ...mail }: Mail, id: string): Promise<void> {
    const transport = await this.#open();
    const messageId = (name: string): string => `<${name}@${this.#domain}>`;
    // No mail has the id of a conversation: all of them answer it, so that they are shown together.
    const thread = threadId === undefined ? undefined : messageId(threadId);
    await transport.sendMail({
      ...mail,
      attachments: [...(mail.attachments ?? [])],
      from: this.#from,
      replyTo: this.#replyTo,
      messageId: messageId(id),
      ...(thread !== undefined && { inReplyTo: thread, references: thread }),
      // Keeps programs that answer mails of their own accord from answering these.
      headers: { "Auto-Submitted": "auto-generated" },
    });
  }

  /** Sends a mail as it was composed. What could not be delivered is reported to its sender. */
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
    // Loaded at the first mail: many installations send none, and it takes memory.
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
