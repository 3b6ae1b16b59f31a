/**
 * The SMTP listener. It accepts mails only for existing mailboxes and never relays. A mail is acknowledged after it
 * is stored; while the database is unavailable, the client gets a temporary error.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { callbackify } from "node:util";
import type { SMTPServer, SMTPServerDataStream, SMTPServerSession } from "smtp-server";
import { FileTooLarge, QuotaExceeded } from "#domains/files/index.ts";
import type { Engine, Platform, RunningEngine } from "#kernel/contract.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { MailListenerSettings } from "#kernel/settings.ts";
import { acceptMail, MailboxFull, type MailTarget } from "../intake/accept.ts";
import { findTarget } from "../intake/target.ts";
import { ConnectionCounter } from "./connection-counter.ts";

const RECIPIENTS_MAX = 50;
const SOCKET_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
const RETRY_MS = 10_000;

export const mailListener: Engine<MailListener> = {
  name: "mail.listener",
  start: (platform) => new MailListener(platform),
};

export class MailListener implements RunningEngine {
  readonly #platform: Platform;
  readonly #servers: SMTPServer[] = [];
  readonly #counter: ConnectionCounter;
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;
  /** The listening addresses in the order of the settings, once all are open. */
  readonly addresses: Promise<readonly AddressInfo[]>;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#counter = new ConnectionCounter(platform.settings.mailConnectionsMax);
    this.addresses = Promise.all(platform.settings.mailListeners.map((one) => this.#listen(one)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(
      this.#servers.map((server) => new Promise<void>((resolve) => server.close(resolve))),
    );
  }

  /** Opens a listener. Another process can still hold its port for a while. */
  async #listen(settings: MailListenerSettings): Promise<AddressInfo> {
    const { log } = this.#platform;
    const server = await this.#createServer(settings);
    for (;;) {
      try {
        const listening = server.listen(settings.port, settings.host);
        await once(listening, "listening");
        this.#servers.push(server);
        return listening.address() as AddressInfo;
      } catch (error) {
        log.error({ err: error, ...settings }, "can't receive e-mail: can't listen on the address");
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, RETRY_MS).unref();
          this.#timers.add(timer);
        });
        if (this.#stopped) throw error;
      }
    }
  }

  async #createServer({ protocol }: MailListenerSettings): Promise<SMTPServer> {
    // Loaded on demand, because most installations receive no mails.
    const library = await import("smtp-server");
    const { settings, log } = this.#platform;
    const checkRecipient = callbackify((address: string) => this.#checkRecipient(address));
    const source = protocol === "lmtp" ? "lmtp" : "smtp";
    const receive = callbackify((stream: SMTPServerDataStream, session: SMTPServerSession) =>
      this.#receive(stream, session, source),
    );
    const { mailTlsCertPem: cert, mailTlsKeyPem: key } = settings;
    const server = new library.SMTPServer({
      banner: "Millrace",
      lmtp: protocol === "lmtp",
      secure: protocol === "smtps",
      ...(cert !== undefined && key !== undefined ? { cert, key } : { hideSTARTTLS: true }),
      disabledCommands: ["AUTH", ...(cert === undefined ? (["STARTTLS"] as const) : [])],
      authOptional: true,
      disableReverseLookup: true,
      size: settings.mailBytesMax,
      maxClients: settings.mailConnectionsMax,
      maxRecipients: RECIPIENTS_MAX,
      socketTimeout: SOCKET_TIMEOUT_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      logger: false,
      onConnect: ({ remoteAddress }, done) =>
        done(this.#counter.enter(remoteAddress) ? null : reply(421, "Too many connections")),
      onClose: ({ remoteAddress }) => this.#counter.leave(remoteAddress),
      onRcptTo: ({ address }, _session, done) => {
        checkRecipient(address, done);
      },
      onData: (stream, session, done) => {
        receive(stream, session, done);
      },
    });
    // Broken client connections are not server errors.
    server.on("error", (error: Error) =>
      log.debug({ err: error }, "a connection from a mail server failed"),
    );
    return server;
  }

  /** Throws the SMTP error for an address that accepts no mails. */
  async #checkRecipient(address: string): Promise<void> {
    const target = await findTarget(this.#platform, address).catch((error: unknown) => {
      throw this.#temporary(error);
    });
    if (target === undefined) throw reply(550, "5.1.1 Mailbox does not exist");
    if (!target.enabled) throw reply(450, "4.2.1 The mailbox is disabled");
    if (target.isFull) throw reply(452, "4.2.2 The mailbox is full");
  }

  async #receive(
    stream: SMTPServerDataStream,
    { envelope }: SMTPServerSession,
    source: "smtp" | "lmtp",
  ): Promise<void> {
    try {
      const returnPath = (envelope.mailFrom && envelope.mailFrom.address) || null;
      const targets = await this.#findTargets(envelope.rcptTo.map(({ address }) => address));
      await acceptMail(this.#platform, { source, returnPath, targets }, whole(stream));
    } catch (error) {
      stream.resume();
      if (stream.sizeExceeded || (error instanceof Failure && error.type === FileTooLarge)) {
        throw reply(552, "5.3.4 The mail is too large");
      }
      if (error instanceof Failure && error.type === MailboxFull) {
        throw reply(452, "4.2.2 The mailbox is full");
      }
      if (error instanceof Failure && error.type === QuotaExceeded) {
        throw reply(452, "4.3.1 Insufficient storage");
      }
      throw this.#temporary(error);
    }
  }

  /** One target per mailbox, also for several of its addresses. */
  async #findTargets(addresses: readonly string[]): Promise<readonly MailTarget[]> {
    const found = await Promise.all(addresses.map((one) => findTarget(this.#platform, one)));
    const targets = new Map(found.flatMap((one) => (one ? [[one.mailboxId, one] as const] : [])));
    if (targets.size === 0) throw new Error("The mailbox is gone.");
    return [...targets.values()];
  }

  #temporary(error: unknown): Error {
    this.#platform.log.warn({ err: error }, "can't accept an e-mail; the sender will retry");
    return reply(451, "4.3.0 Temporary failure; try again later");
  }
}

/** The complete bytes of a mail. Throws if there are too many or the connection breaks. */
async function* whole(stream: SMTPServerDataStream): AsyncIterable<Uint8Array> {
  for await (const chunk of stream) yield chunk as Uint8Array;
  if (stream.sizeExceeded) throw new Error("The mail is too large.");
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
