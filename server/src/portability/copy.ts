/**
 * Transfers rows by PostgreSQL's COPY. For gigabytes of data in the heap of the whole product, each 30 MB of new
 * buffers cause V8 to mark all of it, which took half of the time. So messages are sent without copies, and blocks are
 * freed early.
 */
import type { Socket } from "node:net";
import type pg from "pg";
import { CopySocket } from "./copy-socket.ts";

/** The part of pg's connection that COPY needs, which its types omit. */
interface CopyConnection {
  query(text: string): void;
  endCopyFrom(): void;
  readonly stream: Pick<Socket, "pause" | "resume" | "write" | "cork" | "uncork">;
}

/** A custom query in pg's interface. */
abstract class CopyQuery {
  readonly done: Promise<void>;
  protected connection: CopyConnection | undefined;
  readonly #text: string;
  #settle: { resolve: () => void; reject: (error: unknown) => void };
  #error: unknown;

  constructor(text: string) {
    this.#text = text;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    this.#settle = { resolve, reject };
  }

  submit(connection: unknown): void {
    this.connection = connection as CopyConnection;
    this.connection.query(this.#text);
  }

  handleError(error: unknown): void {
    this.#error ??= error;
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#error === undefined) this.#settle.resolve();
  }

  handleCommandComplete(_: { readonly text: string }): void {}
  handleCopyOutResponse(): void {}
  handleCopyInResponse(_: unknown): void {}
  handleCopyData(_: { readonly chunk: Buffer }): void {}
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/** Complete rows in COPY's text format. */
export interface RowBlock {
  readonly rows: number;
  readonly lines: Buffer;
}

/** The size of the first buffer. Most tables have few rows, and a full block for each caused garbage collections. */
const FIRST_BYTES = 65_536;
/** Room for the last row of a block, which can exceed the block size. */
const ROOM_BYTES = 65_536;

type TakeBlock = (block: RowBlock) => Promise<void>;

class CopyOut extends CopyQuery {
  readonly #blockBytes: number;
  readonly #take: TakeBlock;
  #buffer: Buffer = Buffer.alloc(0);
  #isFirst = true;
  #used = 0;
  #rows = 0;
  #taken: Promise<void> = Promise.resolve();
  failure: unknown;

  constructor(text: string, blockBytes: number, take: TakeBlock) {
    super(text);
    this.#blockBytes = blockBytes;
    this.#take = take;
  }

  override submit(connection: unknown): void {
    super.submit(connection);
    const stream = this.connection?.stream;
    if (stream instanceof CopySocket)
      stream.takeRow = (chunk, from, to, isWhole) => this.#addRow(chunk, from, to, isWhole);
  }

  /** A row from the driver, on a connection with the driver's own socket. */
  override handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#addRow(chunk, 0, chunk.length, true);
  }

  #addRow(chunk: Buffer, from: number, to: number, isWhole: boolean): void {
    const end = this.#used + to - from;
    if (end > this.#buffer.length) this.#grow(end);
    chunk.copy(this.#buffer, this.#used, from, to);
    this.#used = end;
    if (!isWhole) return;
    this.#rows += 1;
    if (this.#used >= this.#blockBytes) this.#pass();
  }

  #grow(bytes: number): void {
    const sizes = [this.#isFirst ? FIRST_BYTES : 0, this.#blockBytes + ROOM_BYTES, bytes * 2];
    this.#isFirst = false;
    const grown = Buffer.allocUnsafe(sizes.find((size) => size >= bytes) ?? bytes);
    this.#buffer.copy(grown, 0, 0, this.#used);
    this.#buffer = grown;
  }

  async finish(): Promise<void> {
    await this.done;
    if (this.#rows > 0) this.#pass();
    await this.#taken;
    if (this.failure !== undefined) throw this.failure;
  }

  /** Pauses reading from the server until the block was processed. */
  #pass(): void {
    const block = { rows: this.#rows, lines: this.#buffer.subarray(0, this.#used) };
    this.#buffer = Buffer.alloc(0);
    this.#used = 0;
    this.#rows = 0;
    this.connection?.stream.pause();
    this.#taken = this.#taken
      .then(() => (this.failure === undefined ? this.#take(block) : undefined))
      .catch((error: unknown) => {
        this.failure ??= error;
      })
      .finally(() => this.connection?.stream.resume());
  }
}

/** Streams the rows of a query in blocks with bounded memory. */
export async function copyOut(
  client: pg.Client,
  query: string,
  options: { readonly blockBytes: number; readonly take: TakeBlock },
): Promise<void> {
  const copy = new CopyOut(`copy (${query}) to stdout`, options.blockBytes, options.take);
  client.query(copy);
  await copy.finish();
}

/** The head of a message with rows. */
const COPY_DATA = "d".charCodeAt(0);
const COPY_HEAD_BYTES = 5;

class CopyIn extends CopyQuery {
  readonly #lines: Buffer;
  rows = 0;

  constructor(text: string, lines: Buffer) {
    super(text);
    this.#lines = lines;
  }

  override handleCopyInResponse(): void {
    const head = Buffer.alloc(COPY_HEAD_BYTES, COPY_DATA);
    head.writeUInt32BE(this.#lines.length + COPY_HEAD_BYTES - 1, 1);
    const { stream } = this.connection ?? {};
    stream?.cork();
    stream?.write(head);
    stream?.write(this.#lines);
    this.connection?.endCopyFrom();
    stream?.uncork();
  }

  override handleCommandComplete({ text }: { readonly text: string }): void {
    this.rows = Number(/^COPY (\d+)$/.exec(text)?.[1]);
  }
}

/** Inserts rows into a table, and returns the number counted by PostgreSQL. The names must be quoted. */
export async function copyIn(client: pg.Client, target: string, lines: Buffer): Promise<number> {
  const copy = new CopyIn(`copy ${target} from stdin`, lines);
  client.query(copy);
  await copy.done;
  return copy.rows;
}

/** Smaller buffers may share memory with others. */
const FREED_BYTES_MIN = 1_048_576;

/** Frees the memory of a large buffer that is no longer needed, which is empty afterwards. */
export function freeBuffer({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= FREED_BYTES_MIN) buffer.transfer(0);
}
