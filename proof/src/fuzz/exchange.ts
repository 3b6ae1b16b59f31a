import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { Pool } from "undici";
import type { Operation } from "./contract.ts";

/** Whose things an answer may hold. */
export type Side = "a" | "b" | "nobody";

/** A request as it goes out. */
export interface Sent {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** An answer as it came in. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as a value when it is JSON, and else the text. */
  readonly body: unknown;
  readonly durationMs: number;
  /** True when there was more to come, as with a stream, and we did not wait for it. */
  readonly cut: boolean;
}

/** A request and its answer. */
export interface Exchange {
  readonly op: Operation | undefined;
  readonly side: Side;
  readonly sent: Sent;
  readonly received: Received;
}

const ANSWER_LIMIT_MS = 30_000;
const STREAM_LOOK_MS = 120;

/** Connections that are kept alive to one server. */
export class Line {
  readonly #pool: Pool;

  constructor(origin: string, connections: number) {
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      headersTimeout: ANSWER_LIMIT_MS,
      bodyTimeout: ANSWER_LIMIT_MS,
      keepAliveTimeout: 60_000,
    });
  }

  /** Rejects when there is no whole answer in time. */
  async send({ method, path, headers, body }: Sent): Promise<Received> {
    const startedAt = performance.now();
    const reply = await this.#pool.request({
      method: method as "GET",
      path,
      headers,
      ...(body !== undefined && { body }),
    });
    const mediaType = String(reply.headers["content-type"] ?? "");
    const cut = mediaType.startsWith("text/event-stream");
    const coding = String(reply.headers["content-encoding"] ?? "");
    const text = cut
      ? await beginningOf(reply.body)
      : decode(Buffer.from(await reply.body.arrayBuffer()), coding);
    return {
      status: reply.statusCode,
      headers: reply.headers,
      text,
      body: mediaType.includes("json") && !mediaType.includes("ndjson") ? parsed(text) : text,
      durationMs: performance.now() - startedAt,
      cut,
    };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/** The text of a body in the coding that the request happened to ask for. */
function decode(bytes: Buffer, coding: string): string {
  return (bytes.length > 0 ? (DECODERS[coding]?.(bytes) ?? bytes) : bytes).toString("utf8");
}

/** A stream is let go after its first words: nobody can wait for its end. */
async function beginningOf(stream: NodeJS.ReadableStream & { destroy(): void }): Promise<string> {
  let text = "";
  const timer = setTimeout(() => stream.destroy(), STREAM_LOOK_MS);
  try {
    for await (const piece of stream) text += String(piece);
  } catch {
    // That was us.
  }
  clearTimeout(timer);
  return text;
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
