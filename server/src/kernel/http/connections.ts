import type { Server } from "node:http";
import type { Socket } from "node:net";

/** File descriptors reserved for the database, outbound connections and pipes of child processes. */
const FILES_RESERVED = 1_000;
const CONNECTIONS_MAX = 50_000;
const CONNECTIONS_MIN = 100;
/** Without data in either direction. Longer than any response takes to begin. */
const IDLE_MAX_MS = 360_000;
/** Node's default, because a busy machine may read data late. */
const HEADERS_MAX_MS = 60_000;
/** The minimum interval between closing idle connections. */
const CLOSE_IDLE_EVERY_MS = 1_000;
/** The maximum silence of a connection opened during shutdown. */
const SILENT_MAX_MS = 1_000;

/** Options of Node's server: how often it checks for requests that arrive too slowly. */
export const SERVER_OPTIONS = { connectionsCheckingInterval: 5_000 } as const;

/**
 * Limits client connections. Without a free file descriptor, the process could reach neither its database nor
 * other hosts. Beyond the limit, new connections are closed immediately, and idle ones are closed to make room.
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
    // A client may close its side after the request and still expect the response.
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
   * Closes connections without any data, which browsers open in advance. Node counts them as busy, does not
   * check their timeouts during shutdown, and would wait for them.
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

/** The file descriptor limit minus the reserve. Cached, because a report takes 10 ms. */
function connectionsMax(): number {
  connectionsMaxKnown ??= computeConnectionsMax();
  return connectionsMaxKnown;
}

/** Node raises its own limit at start to the allowed maximum. Undefined if unlimited. */
function openFilesMax(): number | undefined {
  const { report } = process;
  // Prevents name look-ups of all connected hosts. Missing in the types.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}
