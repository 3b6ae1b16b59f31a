import { once } from "node:events";
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import { type Frame, Frames, openingOf, processFrame } from "./frames.ts";

/** The number of server connections per login: fewer than the product opens, so that they are shared. */
const SERVERS_MAX = 3;
/** Higher than any process id of the system. */
const FIRST_PROCESS_ID = 0x7000_0000;

/** The statistics of a pooler in transaction mode. */
export interface Traffic {
  clients: number;
  transactions: number;
  /** Transactions of a client on another server process than the previous one. */
  moves: number;
}

/** A pooler in transaction mode for tests, because none may be installed. */
export interface TransactionPooler {
  readonly port: number;
  readonly traffic: Readonly<Traffic>;
  close(): Promise<void>;
}

/**
 * Works like PgBouncer: after a client's login, each of its transactions uses the server connection that was idle the
 * longest. Session state left by a transaction (prepared statements, settings, locks) affects other clients.
 */
export async function startTransactionPooler(upstream: NetConnectOpts): Promise<TransactionPooler> {
  const traffic: Traffic = { clients: 0, transactions: 0, moves: 0 };
  const pools = new Map<string, Pool>();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.setNoDelay(true));
    // An interrupted connection is closed next, which is sufficient.
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

/** The server connections of one login, and the waiting clients. */
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

  /** Waiting clients would never be served. */
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
      // Messages outside a transaction, such as notifications, are dropped.
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
  /** Messages that the server will answer with "ready". */
  #unanswered = 0;
  /** Messages received while it waits for a server. */
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

  /** Uses a new server connection, which others use afterwards. */
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
