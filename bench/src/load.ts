import { connect, type Socket } from "node:net";
import { percentile } from "./statistics.ts";

/** The address and the requests of the load. */
export interface Target {
  readonly port: number;
  /** The next complete request with head and body. */
  readonly next: () => string;
  readonly status: number;
  /** The number of connections. Default: 16. */
  readonly connections?: number;
}

/** The extent of the load: a time, or a number of requests. */
export type Extent = { readonly forMs: number } | { readonly count: number };

export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const CONNECTIONS = 16;
const HOST = "127.0.0.1";
const LIMIT_MS = 300_000;
/** Far above the responses of the measured routes. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/**
 * Uses keep-alive connections. Each sends its next request after the last response.
 *
 * The generator shares the machine's cores with the measured server, so it implements the required part of HTTP on raw
 * sockets: 30 µs of CPU time per request, while undici's `dispatch` takes 58, its `request` 85 and node:http 150.
 */
export async function load(target: Target, extent: Extent): Promise<Load> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + ("forMs" in extent ? extent.forMs : LIMIT_MS);
  let left = "count" in extent ? extent.count : Infinity;
  const more = (): boolean => left-- > 0 && performance.now() < endsAt;
  const done = (sentAt: number): void => {
    const now = performance.now();
    if (now < endsAt) latenciesMs.push(now - sentAt);
  };
  const { connections = CONNECTIONS } = target;
  await Promise.all(Array.from({ length: connections }, () => converse(target, more, done)));
  const elapsedMs = Math.min(performance.now(), endsAt) - startedAt;
  if ("count" in extent && latenciesMs.length < extent.count) {
    throw new Error(`Only ${latenciesMs.length} of ${extent.count} requests were done in time.`);
  }
  latenciesMs.sort((a, b) => a - b);
  return {
    requests: latenciesMs.length,
    perSecond: latenciesMs.length / (elapsedMs / 1000),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

/** The sequential requests of one connection. Rejects at the first wrong response. */
function converse(
  { port, next, status }: Target,
  more: () => boolean,
  done: (sentAt: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const answers = new AnswerBuffer();
    let sentAt = 0;
    const ask = (): void => {
      if (!more()) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(next(), "latin1");
    };
    const hear = (size: number): boolean => {
      try {
        const answered = answers.take(size);
        if (answered === undefined) return true;
        if (answered !== status) throw new Error(`Expected ${status}, got:\n${answers.text}`);
        done(sentAt);
        ask();
      } catch (error) {
        socket.destroy();
        reject(error);
      }
      return true;
    };
    const socket: Socket = connect({
      host: HOST,
      port,
      noDelay: true,
      onread: { buffer: () => answers.free, callback: hear },
    });
    socket.setTimeout(30_000, () => socket.destroy(new Error("No answer came for 30 s.")));
    socket.once("connect", ask);
    socket.once("error", reject);
    socket.once("end", () => reject(new Error("The server closed a connection that was in use.")));
  });
}

/** Collects the bytes of one response until it is complete. */
export class AnswerBuffer {
  readonly #bytes = Buffer.allocUnsafe(ANSWER_BYTES_MAX);
  #filled = 0;
  /** The latest complete response. */
  text = "";

  get free(): Uint8Array {
    return this.#bytes.subarray(this.#filled);
  }

  /** The status, if the new bytes complete the response. */
  take(size: number): number | undefined {
    this.#filled += size;
    const text = this.#bytes.toString("latin1", 0, this.#filled);
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd === -1) return undefined;
    const end = headEnd + 4 + lengthIn(text, headEnd);
    if (this.#filled < end) return undefined;
    if (this.#filled > end) throw new Error(`More than one answer to one request:\n${text}`);
    this.text = text;
    this.#filled = 0;
    return Number(text.slice(9, 12));
  }
}

/** The length in the head. Fastify writes the header name in lower case, Express with capitals. */
function lengthIn(text: string, headEnd: number): number {
  const small = text.indexOf("content-length: ");
  const at = small === -1 || small > headEnd ? text.indexOf("Content-Length: ") : small;
  if (at === -1 || at > headEnd) throw new Error(`An answer without its length:\n${text}`);
  return Number(text.slice(at + 16, text.indexOf("\r", at)));
}
