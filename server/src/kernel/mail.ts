import type { Transporter } from "nodemailer";
import Type from "typebox";
import type { Platform, PlatformServices } from "./access/caller.ts";
import { open, seal } from "./access/crypto.ts";
import { failure } from "./operation/failure.ts";
import { job } from "./work/job.ts";
import type { WriteContext } from "./operation/operation.ts";

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

/** The way to the operator's mail server. */
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

  /** The same id for every attempt, so that a mail server can tell a repetition. */
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

const CONTEXT = "mail";

/** A mail is a row first. It may hold a link that opens an account, so the row is sealed. */
export const sendMail = job({
  kind: "kernel.send_mail",
  payload: Type.Object({ sealed: Type.String() }),
  async effect(platform, { sealed }, { id }) {
    await platform.mailer.send(await unsealMail(platform, sealed), id);
  },
  run: async () => undefined,
});

/** Sends a mail once the act commits. */
export async function enqueueMail(ctx: WriteContext<never>, mail: Mail): Promise<void> {
  const key = await ctx.services.keys.of(ctx.services.homeWorkspace);
  const sealed = seal(key, Buffer.from(JSON.stringify(mail)), CONTEXT).toString("base64");
  ctx.enqueue(sendMail, { sealed });
}

async function unsealMail({ keys, homeWorkspace }: Platform, sealed: string): Promise<Mail> {
  const key = await keys.of(homeWorkspace);
  return JSON.parse(open(key, Buffer.from(sealed, "base64"), CONTEXT).toString()) as Mail;
}

/** Where people reach us. */
export function publicUrl({ settings }: Pick<PlatformServices, "settings">): string {
  return settings.baseUrl ?? `http://${settings.host}:${settings.port}`;
}
