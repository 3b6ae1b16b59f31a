import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { Pool } from "undici";
import type { Operation } from "./contract.ts";

/** The workspace whose data a response may contain. */
export type Side = "a" | "b" | "nobody";

/** An outgoing request. */
export interface Sent {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** A received response. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body if it is JSON, otherwise the text. */
  readonly body: unknown;
  readonly durationMs: number;
  /** True if further data, such as a stream, was not read. */
  readonly cut: boolean;
}

/** A request and its response. */
export interface Exchange {
  readonly op: Operation | undefined;
  readonly side: Side;
  readonly sent: Sent;
  readonly received: Received;
}

const ANSWER_LIMIT_MS = 30_000;
const STREAM_LOOK_MS = 120;

/** Keep-alive connections to one server. */
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

  /** Rejects if no complete response arrives in time. */
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

/** Decodes a body with the content coding chosen for the request. */
function decode(bytes: Buffer, coding: string): string {
  return (bytes.length > 0 ? (DECODERS[coding]?.(bytes) ?? bytes) : bytes).toString("utf8");
}

/** A stream is closed after its first data, because it may never end. */
async function beginningOf(stream: NodeJS.ReadableStream & { destroy(): void }): Promise<string> {
  let text = "";
  const timer = setTimeout(() => stream.destroy(), STREAM_LOOK_MS);
  try {
    for await (const piece of stream) text += String(piece);
  } catch {
    // The stream was closed by this function.
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
