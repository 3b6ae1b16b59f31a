import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Files that are reserved for the database, outbound connections and pipes of our children. */
const FILES_RESERVED = 1_000;
const CONNECTIONS_MAX = 50_000;
const CONNECTIONS_MIN = 100;
/** Without a byte in either direction: longer than any response may take to begin. */
const IDLE_MAX_MS = 360_000;
/** Node's default: on a busy machine bytes may stay unread for a while. */
const HEADERS_MAX_MS = 60_000;
/** Idle connections are closed at most so often. */
const CLOSE_IDLE_EVERY_MS = 1_000;
/** How long a connection may stay silent that was opened as the server closes. */
const SILENT_MAX_MS = 1_000;

/** Options of Node's server: how often it checks for requests that take too long to arrive. */
export const SERVER_OPTIONS = { connectionsCheckingInterval: 5_000 } as const;

/**
 * Limits the connections of clients. A process has only so many file descriptors, and without one left it
 * could reach neither its database nor any other host: so there is a limit below that, beyond which a new
 * connection is closed at once, and idle ones are closed to make room.
 */
export class Connections {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #refused = 0;
  #closedIdleAtMs = -Infinity;
  #isClosing = false;

  constructor(server: Server, max = connectionsMax()) {
    this.#server = server;
    server.maxConnections = max;
    server.headersTimeout = HEADERS_MAX_MS;
    server.timeout = IDLE_MAX_MS;
    // A client may close its side after the request and still want the response.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      if (this.#isClosing) setTimeout(() => closeSilent(socket), SILENT_MAX_MS).unref();
    });
    server.on("drop", () => this.#refuse());
  }

  count(): { readonly open: number; readonly refused: number } {
    return { open: this.#sockets.size, refused: this.#refused };
  }

  /**
   * Closes the connections that never said anything: browsers open some ahead of need. Node counts them as busy, looks
   * after their time no more once it closes, and would wait for them.
   */
  closeSilent(): void {
    this.#isClosing = true;
    this.#sockets.forEach(closeSilent);
  }

  #refuse(): void {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#closedIdleAtMs < CLOSE_IDLE_EVERY_MS) return;
    this.#closedIdleAtMs = now;
    this.#server.closeIdleConnections();
  }
}

function closeSilent(socket: Socket): void {
  if (socket.bytesRead === 0) socket.destroy();
}

function computeConnectionsMax(): number {
  const limit = openFilesMax();
  if (limit === undefined) return CONNECTIONS_MAX;
  const reserved = Math.min(FILES_RESERVED, Math.floor(limit / 2));
  return Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_MIN, limit - reserved));
}

let connectionsMaxKnown: number | undefined;

/** The file descriptors that the system allows, less those that are reserved. A report takes 10 ms: one is enough. */
function connectionsMax(): number {
  connectionsMaxKnown ??= computeConnectionsMax();
  return connectionsMaxKnown;
}

/** Node raises its own limit at start to what it may have. Undefined when there is none. */
function openFilesMax(): number | undefined {
  const { report } = process;
  // It would look up the names of all connected hosts. The types do not know of it.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}
