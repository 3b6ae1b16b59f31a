import { Socket } from "node:net";
import { type ConnectorOptions, guardedLookup, refusedAddress } from "./guarded-connector.ts";
import { OutboundFailed } from "./error.ts";
import { literalAddress } from "./request-checks.ts";

/** The protocols that we speak over sockets answer a question with much less. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const LOOK_MS = 100;

/**
 * A connection for the clients of other protocols. They choose when to connect and wrap TLS around it,
 * but the address check is the one of every call: it sits in the name lookup of the connection itself.
 *
 * Many of these clients gather a message of whatever length the server announces. So a server that
 * sends more than any honest answer is cut off. The count is looked at from time to time instead of
 * with each chunk, since TLS reads the connection beneath this object.
 */
export class GuardedSocket extends Socket {
  readonly #guard: Pick<ConnectorOptions, "permits" | "lookup">;

  constructor(guard: Pick<ConnectorOptions, "permits" | "lookup">) {
    super();
    this.#guard = guard;
    this.once("connect", () => this.#watch());
  }

  /** Takes a port and a host, and nothing else: a path would be a socket of this machine. */
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
    // The client's own listener, of which the type of `connect` says nothing.
    const heard = typeof listener === "function" ? (listener as () => void) : undefined;
    return super.connect({ host: literal ?? host, port, lookup, autoSelectFamily: true }, heard);
  }

  #watch(): void {
    let asked = this.bytesWritten;
    let from = this.bytesRead;
    const timer = setInterval(() => {
      if (this.bytesWritten !== asked) {
        asked = this.bytesWritten;
        from = this.bytesRead;
      } else if (this.bytesRead - from > ANSWER_BYTES_MAX) {
        this.destroy(new OutboundFailed("protocol", "The other side sent more than it may."));
      }
    }, LOOK_MS).unref();
    this.once("close", () => clearInterval(timer));
  }
}
