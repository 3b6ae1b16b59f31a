import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";

/** Where the proxy leads: a port of this machine, or a unix socket. */
export type Upstream = { readonly host: string; readonly port: number } | { readonly path: string };

/** The place of a database server. */
export function upstreamOf({ host = "", port = 5432 }: pg.ClientConfig): Upstream {
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/**
 * calm: all passes. stalled: nothing passes, and all of it does later. lost: what was open stays open and
 * passes nothing ever again, like a connection that a firewall forgot. refusing: nobody gets in.
 */
export type Weather = "calm" | "stalled" | "lost" | "refusing";

const STALL_POLL_MS = 10;
/** What PostgreSQL says when a transaction has committed. */
const COMMITTED = Buffer.from("COMMIT\0");

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Swallows whatever comes, for good. */
  lost: boolean;
}

/** Stands between the product and its database, and makes the weather there. */
export class Proxy implements AsyncDisposable {
  readonly port: number;
  /** Each piece takes so much longer, in each direction. */
  delayMs = 0;
  bytesPerSecond = Infinity;
  /** So many answers to a commit are still to be lost: the commit has happened, and nobody hears of it. */
  commitsToLose = 0;
  /** The connections that were cut off. */
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

  /** Resets this share of the connections, whatever passes on them now. */
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
        // The other side of a lost connection never hears that it has ended.
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
