import type { Server } from "node:http";

/** Files that are not connections of clients: the database's, outgoing ones, pipes of our children. */
const FILES_KEPT = 1_000;
const CONNECTIONS_MAX = 50_000;
const CONNECTIONS_MIN = 100;
/** As long as nobody takes anything or sends anything: longer than any answer may be made in silence. */
const IDLE_MAX_MS = 360_000;
/** As Node has it: on a busy machine what was sent may lie unread for a while. */
const HEADERS_MAX_MS = 60_000;
/** At most so often are idle connections closed to make room. */
const MAKE_ROOM_EVERY_MS = 1_000;

/** How Node's server is to be made: it looks this often for requests that take too long to arrive. */
export const SERVER_OPTIONS = { connectionsCheckingInterval: 5_000 } as const;

/**
 * Bounds what clients may hold. A process has only so many files, and without one left it could reach
 * neither its database nor anybody: so there is a limit before that, beyond which a connection is
 * closed at once, and those that only wait for a next request are closed to make room.
 */
export class Connections {
  readonly #server: Server;
  #open = 0;
  #refused = 0;
  #roomMadeAt = -Infinity;

  constructor(server: Server, max = connectionsMax()) {
    this.#server = server;
    server.maxConnections = max;
    server.headersTimeout = HEADERS_MAX_MS;
    server.timeout = IDLE_MAX_MS;
    // Who has said all there is to say may close that direction and still wants the answer.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on("connection", (socket) => {
      this.#open += 1;
      socket.once("close", () => (this.#open -= 1));
    });
    server.on("drop", () => this.#refuse());
  }

  count(): { readonly open: number; readonly refused: number } {
    return { open: this.#open, refused: this.#refused };
  }

  #refuse(): void {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#roomMadeAt < MAKE_ROOM_EVERY_MS) return;
    this.#roomMadeAt = now;
    this.#server.closeIdleConnections();
  }
}

/** As many as the system lets us have open, less what else needs a file. */
function connectionsMax(): number {
  const limit = openFilesMax();
  if (limit === undefined) return CONNECTIONS_MAX;
  const kept = Math.min(FILES_KEPT, Math.floor(limit / 2));
  return Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_MIN, limit - kept));
}

/** Node raises its own limit at start to what it may have. Undefined when there is none. */
function openFilesMax(): number | undefined {
  const { report } = process;
  // It would look up the names of whoever we are connected to. The types do not know of it.
  Object.assign(report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}
