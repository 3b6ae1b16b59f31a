/** Clients of IMAP servers, over connections to permitted addresses only. */
import type { ImapFlow } from "imapflow";
import type { Outbound } from "./outbound.ts";

const OVERHEAD_BYTES = 1_048_576;

export interface ImapServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before the login, or none. */
  readonly security: "tls" | "starttls" | "none";
  readonly username: string;
  readonly password: string;
  readonly timeoutMs: number;
  /** The maximum size of one message or part. */
  readonly bytesMax: number;
}

/** Creates an unconnected client. Refuses forbidden literal addresses here, because they need no name lookup. */
export async function createImapClient(
  outbound: Outbound,
  { host, port, security, username, password, timeoutMs, bytesMax }: ImapServer,
): Promise<ImapFlow> {
  outbound.checkHost(host);
  // Loaded on demand, because most installations fetch no e-mails.
  const library = await import("imapflow");
  const { secureContext, lookup } = outbound;
  const client = new library.ImapFlow({
    host,
    port,
    secure: security === "tls",
    doSTARTTLS: security === "starttls",
    auth: { user: username, pass: password },
    // These options also apply to connections without TLS.
    tls: {
      rejectUnauthorized: true,
      lookup,
      autoSelectFamily: true,
      ...(secureContext && { secureContext }),
    } as never,
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxLiteralSize: bytesMax + OVERHEAD_BYTES,
    maxResponseSize: bytesMax + 2 * OVERHEAD_BYTES,
  });
  // The pending operation reports a broken connection.
  client.on("error", () => undefined);
  return client;
}

/** Describes the error for administrators. The library's error contains the commands, and so the password. */
export function imapErrorWords(error: unknown): string {
  const { message, responseText, authenticationFailed, code } = error as {
    readonly message?: string;
    readonly responseText?: string;
    readonly authenticationFailed?: boolean;
    readonly code?: string;
  };
  if (authenticationFailed === true) return "The server rejected the user name or the password.";
  const words = [code, responseText ?? message].filter(Boolean).join(": ");
  return (words || "The connection was closed.").slice(0, 500);
}
