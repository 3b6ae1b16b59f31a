import { Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import { type ConnectorOptions, guardedLookup, refusedAddress } from "./guarded-connector.ts";
import { OutboundFailed } from "./error.ts";
import { literalAddress } from "./request-checks.ts";

/** A response of the protocols that use sockets is much smaller. */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
const CHECK_EVERY_MS = 100;

/**
 * A connection for the clients of other protocols. They choose when to connect and wrap TLS around it,
 * but the address check is the one of every call: it is part of the name lookup of the connection itself.
 *
 * Many of these clients buffer a message of any length that the server announces. So a server that sends more
 * than any honest response is disconnected. The count is checked from time to time instead of with each chunk,
 * since TLS reads the connection beneath this object.
 */
export class GuardedSocket extends Socket {
  readonly #guard: Pick<ConnectorOptions, "permits" | "lookup">;

  constructor(guard: Pick<ConnectorOptions, "permits" | "lookup">) {
    super();
    this.#guard = guard;
    this.once("connect", () => this.#limitResponses());
  }

  /** Takes a port and a host only: a path would be a socket of this machine. */
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
    // The client's own listener, which the type of `connect` leaves out.
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
        this.destroy(new OutboundFailed("protocol", "The other side sent more than it may."));
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

/** Begins TLS on a connection that is there, for the protocols that are not HTTP; it emits `secureConnect`. */
export function startTls(socket: Socket, host: string, trust: TlsTrust): TLSSocket {
  const secure = connectTls({
    socket,
    host,
    // An address in digits has no name to send.
    ...(literalAddress(host) === undefined && { servername: host }),
    ...trust,
  });
  // A broken connection is reported where something is awaited.
  secure.on("error", () => undefined);
  return secure;
}
