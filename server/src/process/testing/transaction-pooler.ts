import { once } from "node:events";
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import { type Frame, Frames, openingOf, processFrame } from "./frames.ts";

/** So many server connections for each login: fewer than the product opens, so that they go round. */
const SERVERS_MAX = 3;
/** No process of the system has such a number. */
const FIRST_PROCESS_ID = 0x7000_0000;

/** What a pooler in transaction mode has done. */
export interface Traffic {
  clients: number;
  transactions: number;
  /** Transactions of a client that another server process got than the one before. */
  moves: number;
}

/** A pooler in transaction mode, as a test needs one where none is installed. */
export interface TransactionPooler {
  readonly port: number;
  readonly traffic: Readonly<Traffic>;
  close(): Promise<void>;
}

/**
 * Stands between clients and a PostgreSQL as PgBouncer does: a client logs in, and from then on each of
 * its transactions goes to the server connection that has been idle for the longest. Whatever a
 * transaction leaves in a session, a prepared statement, a setting, a lock, is met by somebody else.
 */
export async function startTransactionPooler(upstream: NetConnectOpts): Promise<TransactionPooler> {
  const traffic: Traffic = { clients: 0, transactions: 0, moves: 0 };
  const pools = new Map<string, Pool>();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.setNoDelay(true));
    // Whoever breaks off is closed next, and that is what counts.
    return socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  };
  const listener = createServer((socket) => {
    traffic.clients += 1;
    const processId = FIRST_PROCESS_ID + traffic.clients;
    const client = new Client(keep(socket), traffic, processId);
    client.onOpening = (frame) => {
      const name = openingOf(frame);
      const pool = pools.get(name) ?? new Pool();
      pools.set(name, pool);
      client.logIn(frame, new Server(keep(connect(upstream)), pool));
    };
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("It has no port.");
  return {
    port: address.port,
    traffic,
    async close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
      await once(listener, "close");
    },
  };
}

/** The server connections of one login, and the clients that wait for one. */
class Pool {
  readonly #idle: Server[] = [];
  readonly #waiting: Client[] = [];
  count = 0;

  take(client: Client): void {
    const server = this.#idle.shift();
    if (server) client.use(server);
    else if (this.count > 0) this.#waiting.push(client);
    else client.end();
  }

  give(server: Server): void {
    const next = this.#waiting.shift();
    if (next) next.use(server);
    else this.#idle.push(server);
  }

  /** Nobody would ever serve those who wait. */
  lose(server: Server): void {
    const place = this.#idle.indexOf(server);
    if (place !== -1) this.#idle.splice(place, 1);
    this.count -= 1;
    if (this.count === 0) for (const client of this.#waiting.splice(0)) client.end();
  }

  forget(client: Client): void {
    const place = this.#waiting.indexOf(client);
    if (place !== -1) this.#waiting.splice(place, 1);
  }
}

class Server {
  readonly socket: Socket;
  readonly pool: Pool;
  client: Client | undefined;

  constructor(socket: Socket, pool: Pool) {
    this.socket = socket;
    this.pool = pool;
    pool.count += 1;
    const frames = new Frames("server");
    socket.on("data", (piece: Buffer) => {
      // What comes while nobody uses it, such as a notification, is nobody's.
      for (const frame of frames.add(piece)) this.client?.hear(frame, this);
    });
    socket.once("close", () => {
      pool.lose(this);
      this.client?.end();
    });
  }
}

class Client {
  /** Called with its first message. */
  onOpening: (frame: Frame) => void = () => undefined;
  readonly #socket: Socket;
  readonly #traffic: Traffic;
  readonly #processId: number;
  #pool: Pool | undefined;
  #server: Server | undefined;
  #last: Server | undefined;
  #loggedIn = false;
  /** Messages that the server will say "ready" after. */
  #unanswered = 0;
  /** What came while it waits for a server. */
  #held: Frame[] = [];

  constructor(socket: Socket, traffic: Traffic, processId: number) {
    this.#socket = socket;
    this.#traffic = traffic;
    this.#processId = processId;
    const frames = new Frames("client");
    socket.on("data", (piece: Buffer) => {
      for (const frame of frames.add(piece)) this.#say(frame);
    });
    socket.once("close", () => {
      this.#pool?.forget(this);
      // It may be in the middle of a transaction.
      this.#server?.socket.destroy();
    });
  }

  /** With a server connection of its own, which others use afterwards. */
  logIn(opening: Frame, server: Server): void {
    this.#pool = server.pool;
    this.#server = server;
    server.client = this;
    server.socket.write(opening.bytes);
  }

  use(server: Server): void {
    this.#server = server;
    server.client = this;
    this.#traffic.transactions += 1;
    if (this.#last !== undefined && this.#last !== server) this.#traffic.moves += 1;
    this.#last = server;
    for (const frame of this.#held.splice(0)) this.#pass(frame, server);
  }

  hear({ type, bytes }: Frame, server: Server): void {
    this.#socket.write(type === "K" ? processFrame(this.#processId) : bytes);
    if (type !== "Z") return;
    if (this.#loggedIn) this.#unanswered -= 1;
    this.#loggedIn = true;
    const isIdle = bytes.at(-1) === "I".charCodeAt(0);
    if (!isIdle || this.#unanswered > 0) return;
    this.#server = undefined;
    server.client = undefined;
    if (server.pool.count > SERVERS_MAX && this.#last !== server) server.socket.destroy();
    else server.pool.give(server);
  }

  end(): void {
    this.#server = undefined;
    this.#socket.destroy();
  }

  #say(frame: Frame): void {
    if (frame.type === "") this.onOpening(frame);
    else if (frame.type === "X") this.#socket.destroy();
    else if (this.#server) this.#pass(frame, this.#server);
    else if (this.#held.push(frame) === 1) this.#pool?.take(this);
  }

  #pass({ type, bytes }: Frame, server: Server): void {
    if (this.#loggedIn && "QSF".includes(type)) this.#unanswered += 1;
    server.socket.write(bytes);
  }
}
