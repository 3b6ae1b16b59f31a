import type { ImapFlow } from "imapflow";
import { createImapClient, imapErrorWords } from "#kernel/outbound/imap-client.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { closedAtDeadline } from "../../upstream/deadline.ts";
import { type Session, type SessionKind, withSession } from "../../upstream/session-pool.ts";
import { UpstreamError, upstreamErrorOf } from "../../upstream/upstream-error.ts";
import type { ImapConfig } from "./config.ts";

type ImapConnection = UpstreamConnection<ImapConfig>;

/** The limit for one part of a message. */
const PART_BYTES_MAX = 32 * 1_048_576;
/** The limit for all data of one call. */
const RECEIVED_BYTES_MAX = PART_BYTES_MAX + 8 * 1_048_576;
const CHECK_EVERY_MS = 100;

class ImapSession implements Session {
  readonly client: ImapFlow;

  constructor(client: ImapFlow) {
    this.client = client;
  }

  get isOpen(): boolean {
    return this.client.usable;
  }

  close(): void {
    this.client.close();
  }
}

const kind: SessionKind<ImapConfig, ImapSession> = { open: openSession };

/** Runs work with exclusive use of an IMAP session. */
export function withServer<T>(
  connection: ImapConnection,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  return withSession(connection, kind, async ({ client }) => {
    try {
      return await limitReceived(client, () => work(client));
    } catch (error) {
      throw toImapError(connection, error);
    }
  });
}

/** Works in a folder. */
export function withFolder<T>(
  connection: ImapConnection,
  { folder, readOnly }: { readonly folder: string; readonly readOnly: boolean },
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  return withServer(connection, async (client) => {
    const lock = await client.getMailboxLock(folder, { readOnly });
    try {
      return await work(client);
    } finally {
      lock.release();
    }
  });
}

async function openSession(connection: ImapConnection): Promise<ImapSession> {
  const { platform, config, auth, deadline } = connection;
  const { username = "", password = "" } = auth.kind === "basic" ? auth : {};
  try {
    const client = await createImapClient(platform.outbound, {
      ...config,
      username,
      password,
      timeoutMs: deadline.remainingMs(),
      bytesMax: PART_BYTES_MAX,
    });
    const session = new ImapSession(client);
    await closedAtDeadline(deadline, session, () => limitReceived(client, () => client.connect()));
    return session;
  } catch (error) {
    throw toImapError(connection, error, true);
  }
}

/**
 * Closes the session if the server sends more than any legitimate response: the library buffers lines without a
 * limit.
 */
async function limitReceived<T>(client: ImapFlow, work: () => Promise<T>): Promise<T> {
  const { received: before } = client.stats();
  const timer = setInterval(() => {
    if (client.stats().received - before > RECEIVED_BYTES_MAX) client.close();
  }, CHECK_EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

interface LibraryError {
  readonly authenticationFailed?: boolean;
  readonly responseStatus?: string;
}

/** A rejection is a response of the server; any other error means that it is unreachable. */
function toImapError({ scrubber }: ImapConnection, error: unknown, unsent = false): unknown {
  if (error instanceof UpstreamError) return error;
  if (error instanceof OutboundRefused) return upstreamErrorOf(error);
  const { authenticationFailed, responseStatus } = error as LibraryError;
  const isAnswer = authenticationFailed === true || /^(NO|BAD)$/.test(responseStatus ?? "");
  const words = `The mail server returned an error: ${imapErrorWords(error)}`;
  return new UpstreamError(scrubber.scrub(isAnswer ? words : imapErrorWords(error)), {
    isDown: !isAnswer,
    unsent: unsent && !isAnswer,
  });
}
