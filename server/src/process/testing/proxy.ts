import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";

/** The target of the proxy: a local port or a Unix socket. */
export type Upstream = { readonly host: string; readonly port: number } | { readonly path: string };

/** The address of a database server. */
export function upstreamOf({ host = "", port = 5432 }: pg.ClientConfig): Upstream {
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/**
 * calm: all data passes. stalled: data is delayed until later. lost: open connections stay open without passing data,
 * like after a firewall timeout. refusing: new connections are rejected.
 */
export type Weather = "calm" | "stalled" | "lost" | "refusing";

const STALL_POLL_MS = 10;
/** PostgreSQL's message after a commit. */
const COMMITTED = Buffer.from("COMMIT\0");

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** True if all data is dropped permanently. */
  lost: boolean;
}

/** A proxy between the product and its database that simulates faults. */
export class Proxy implements AsyncDisposable {
  readonly port: number;
  /** The additional delay of each chunk, in each direction. */
  delayMs = 0;
  bytesPerSecond = Infinity;
  /** The number of commit responses to drop: the commit succeeds, but the client is not informed. */
  commitsToLose = 0;
  /** The number of closed connections. */
  cut = 0;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #weather: Weather = "calm";

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async open(upstream: () => Upstream): Promise<Proxy> {
    const server = createServer({ noDelay: true }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("No port is free.");
    const proxy = new Proxy(server, address.port);
    server.on("connection", (client) => proxy.#lead(client, upstream()));
    return proxy;
  }

  get weather(): Weather {
    return this.#weather;
  }

  set weather(weather: Weather) {
    this.#weather = weather;
    if (weather === "lost") for (const pair of this.#pairs) pair.lost = true;
    if (weather === "refusing") this.cutAll();
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Resets this share of the connections. */
  reset(share: number, random: () => number): void {
    for (const pair of this.#pairs) if (random() < share) this.#cut(pair);
  }

  cutAll(): void {
    this.reset(1, () => 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #lead(client: Socket, upstream: Upstream): void {
    if (this.#weather === "refusing") {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ ...upstream, noDelay: true });
    const pair: Pair = { client, server, lost: this.#weather === "lost" };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => undefined);
      from.on("data", (chunk) => this.#pass(pair, { from, to, chunk }));
      from.on("close", () => {
        this.#pairs.delete(pair);
        // The other side of a lost connection is not notified of its end.
        if (!pair.lost) to.destroy();
        else if (from === client) server.destroy();
      });
    }
  }

  #pass(pair: Pair, { from, to, chunk }: { from: Socket; to: Socket; chunk: Buffer }): void {
    if (pair.lost) return;
    if (from === pair.server && this.commitsToLose > 0 && chunk.includes(COMMITTED)) {
      this.commitsToLose -= 1;
      this.#cut(pair);
      return;
    }
    if (this.#weather === "calm" && this.delayMs === 0 && this.bytesPerSecond === Infinity) {
      if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => from.resume());
      }
      return;
    }
    from.pause();
    void this.#passLater(pair, to, chunk).then(() => from.resume());
  }

  async #passLater(pair: Pair, to: Socket, chunk: Buffer): Promise<void> {
    while (this.#weather === "stalled" && !to.destroyed) await pause(STALL_POLL_MS);
    const ms = this.delayMs + (chunk.length / this.bytesPerSecond) * 1000;
    if (ms > 0) await pause(ms);
    if (!pair.lost && !to.destroyed) to.write(chunk);
  }

  #cut(pair: Pair): void {
    this.cut += 1;
    this.#pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.destroy();
  }
}
