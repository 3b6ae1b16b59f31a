import type { Transporter } from "nodemailer";
import { failure } from "../operation/failure.ts";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export const MailNotConfigured = failure(
  "mail_not_configured",
  409,
  "This installation sends no e-mail; its operator can set MILLRACE_SMTP_URL.",
);

const TIMEOUT_MS = 20_000;

/** The SMTP client of the operator's mail server. */
export class Mailer {
  readonly #smtpUrl: string | undefined;
  readonly #from: string;
  #transport: Transporter | undefined;

  constructor(options: { readonly smtpUrl: string | undefined; readonly from: string }) {
    this.#smtpUrl = options.smtpUrl;
    this.#from = options.from;
  }

  get available(): boolean {
    return this.#smtpUrl !== undefined;
  }

  /** `id` is that of all attempts, so that a mail server can recognise a repetition. */
  async send(mail: Mail, id: string): Promise<void> {
    const transport = await this.#open();
    await transport.sendMail({ ...mail, from: this.#from, messageId: `<${id}@millrace>` });
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
