import type { ImapFlow } from "imapflow";
import { createImapClient, imapErrorWords } from "#kernel/outbound/imap-client.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { type Session, type SessionKind, withSession } from "../../upstream/session-pool.ts";
import { UpstreamError, upstreamErrorOf } from "../../upstream/upstream-error.ts";
import type { ImapConfig } from "./config.ts";

type ImapConnection = UpstreamConnection<ImapConfig>;

/** Of one part of a message. */
const PART_BYTES_MAX = 32 * 1_048_576;

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

/** Works with a server on which nobody else works by the same session. */
export function withServer<T>(
  connection: ImapConnection,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  return withSession(connection, kind, async ({ client }) => {
    try {
      return await work(client);
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
    const stop = (): void => client.close();
    deadline.signal.addEventListener("abort", stop, { once: true });
    await client.connect();
    deadline.signal.removeEventListener("abort", stop);
    return new ImapSession(client);
  } catch (error) {
    throw toImapError(connection, error, true);
  }
}

interface LibraryError {
  readonly authenticationFailed?: boolean;
  readonly responseStatus?: string;
}

/** A refusal is the server's answer; anything else is that it can't be reached. */
function toImapError({ scrubber }: ImapConnection, error: unknown, unsent = false): unknown {
  if (error instanceof UpstreamError) return error;
  if (error instanceof OutboundRefused) return upstreamErrorOf(error);
  const { authenticationFailed, responseStatus } = error as LibraryError;
  const isAnswer = authenticationFailed === true || /^(NO|BAD)$/.test(responseStatus ?? "");
  const words = `The mail server answered: ${imapErrorWords(error)}`;
  return new UpstreamError(scrubber.scrub(isAnswer ? words : imapErrorWords(error)), {
    isDown: !isAnswer,
    unsent: unsent && !isAnswer,
  });
}
