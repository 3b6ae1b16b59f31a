/**
 * The MongoDB wire protocol, as far as a connector needs it: one command and one response at a time, each a BSON
 * document in an OP_MSG. The official driver would connect to any address that a server names; this client connects
 * only to the configured one.
 */
import type { Socket } from "node:net";
import type { Document } from "bson";
import { streamError } from "../../upstream/guarded-stream.ts";
import type { Session } from "../../upstream/session-pool.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";

type Bson = typeof import("bson");

const OP_MSG = 2_013;
const HEAD_BYTES = 16;
/** Flags, and the kind of the only section. */
const PREFIX_BYTES = 5;
/** A response contains more than the returned documents. */
const MESSAGE_BYTES_MAX = 2 * 1_048_576;

/** One connection. */
export class MongoSession implements Session {
  readonly #stream: Socket;
  readonly #bson: Bson;
  #chunks: Buffer[] = [];
  #size = 0;
  #requests = 0;
  #answer: PromiseWithResolvers<Document> | undefined;
  #failed: unknown;

  constructor(bson: Bson, stream: Socket, at: string) {
    this.#bson = bson;
    this.#stream = stream;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("error", (error) => this.#fail(streamError(error, at)));
    stream.on("close", () =>
      this.#fail(new UpstreamError(`${at}: the connection was closed`, DOWN)),
    );
  }

  get isOpen(): boolean {
    return this.#failed === undefined;
  }

  /** Sends a command to a database, and returns the response, including errors. */
  send(database: string, command: Document): Promise<Document> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed as Error);
    const body = this.#bson.serialize({ ...command, $db: database }, { ignoreUndefined: true });
    const head = Buffer.alloc(HEAD_BYTES + PREFIX_BYTES);
    this.#requests += 1;
    head.writeInt32LE(head.length + body.length, 0);
    head.writeInt32LE(this.#requests, 4);
    head.writeInt32LE(OP_MSG, 12);
    this.#answer = Promise.withResolvers<Document>();
    this.#stream.write(Buffer.concat([head, body]));
    return this.#answer.promise;
  }

  close(): void {
    this.#stream.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    try {
      this.#read();
    } catch (error) {
      const words = "The server does not use the MongoDB protocol.";
      this.#fail(error instanceof UpstreamError ? error : new UpstreamError(words, DOWN));
      this.close();
    }
  }

  #read(): void {
    if (this.#size < HEAD_BYTES) return;
    if ((this.#chunks[0]?.length ?? 0) < HEAD_BYTES) this.#join();
    const length = this.#chunks[0]?.readInt32LE(0) ?? 0;
    if (length > MESSAGE_BYTES_MAX)
      throw new UpstreamError("The response is larger than 1 MiB.", DOWN);
    if (this.#size < length) return;
    const bytes = this.#join();
    const isAnswer =
      bytes.readInt32LE(8) === this.#requests &&
      bytes.readInt32LE(12) === OP_MSG &&
      bytes[20] === 0;
    if (length !== bytes.length || !isAnswer || !this.#answer) throw new Error("No answer.");
    // Keeps large numbers and other values in their stored types.
    const document = this.#bson.deserialize(bytes.subarray(HEAD_BYTES + PREFIX_BYTES), {
      promoteBuffers: false,
      allowObjectSmallerThanBufferSize: true,
    });
    this.#chunks = [];
    this.#size = 0;
    this.#answer.resolve(document);
    this.#answer = undefined;
  }

  #join(): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    const joined = all ?? Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #fail(error: unknown): void {
    this.#failed ??= error;
    this.#answer?.reject(error);
    this.#answer = undefined;
  }
}

const DOWN = { isDown: true };
