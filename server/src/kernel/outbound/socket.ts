import { Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import { type ConnectorOptions, guardedLookup, refusedAddress } from "./guarded-connector.ts";
import { OutboundFailed } from "./error.ts";
import { literalAddress } from "./request-checks.ts";

/** Much larger than valid responses in these protocols. */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
const CHECK_EVERY_MS = 100;

/**
 * A connection for clients of other protocols. They decide when to connect and can add TLS, but the address
 * check is always part of the connection's name lookup.
 *
 * Many of these clients buffer a message of any length that the server announces. So a server that sends more
 * than any valid response is disconnected. The count is checked periodically instead of per chunk, because TLS
 * reads the connection below this object.
 */
export class GuardedSocket extends Socket {
  readonly #guard: Pick<ConnectorOptions, "permits" | "lookup">;

  constructor(guard: Pick<ConnectorOptions, "permits" | "lookup">) {
    super();
    this.#guard = guard;
    this.once("connect", () => this.#limitResponses());
  }

  /** Accepts only a port and a host, because a path would open a local socket. */
  override connect(...[port, host, listener]: readonly unknown[]): this {
    if (typeof port !== "number" || typeof host !== "string") {
      throw new TypeError("A guarded socket connects to a port and a host.");
    }
    const literal = literalAddress(host);
    if (literal !== undefined && !this.#guard.permits(literal)) {
      queueMicrotask(() => this.destroy(refusedAddress(host)));
      return this;
    }
    const lookup = guardedLookup(this.#guard);
    // The client's listener, which the type of `connect` omits.
    const onConnect = typeof listener === "function" ? (listener as () => void) : undefined;
    return super.connect(
      { host: literal ?? host, port, lookup, autoSelectFamily: true },
      onConnect,
    );
  }

  #limitResponses(): void {
    let written = this.bytesWritten;
    let readBefore = this.bytesRead;
    const timer = setInterval(() => {
      if (this.bytesWritten !== written) {
        written = this.bytesWritten;
        readBefore = this.bytesRead;
      } else if (this.bytesRead - readBefore > RESPONSE_BYTES_MAX) {
        this.destroy(new OutboundFailed("protocol", "The response is too large."));
      }
    }, CHECK_EVERY_MS).unref();
    this.once("close", () => clearInterval(timer));
  }
}

export interface TlsTrust {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly secureContext?: SecureContext;
}

/** Starts TLS on an open connection, for protocols other than HTTP. Emits `secureConnect`. */
export function startTls(socket: Socket, host: string, trust: TlsTrust): TLSSocket {
  const secure = connectTls({
    socket,
    host,
    // A literal address has no server name.
    ...(literalAddress(host) === undefined && { servername: host }),
    ...trust,
  });
  // The pending operation reports a broken connection.
  secure.on("error", () => undefined);
  return secure;
}
