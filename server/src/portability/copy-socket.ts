import { Socket } from "node:net";
import pg from "pg";

const READ_BYTES = 262_144;
/** A message has a letter for its kind, and a length that excludes it. */
const HEAD_BYTES = 5;
const LENGTH_BYTES = 4;
/** The kind of a message with a row. */
const COPY_DATA = 100;

/** Receives the bytes of a row, possibly followed by more. They are overwritten after it returns. */
export type TakeRow = (chunk: Buffer, from: number, to: number, isWhole: boolean) => void;

/**
 * A PostgreSQL connection whose COPY rows bypass the driver, which would create an object for each. Everything is read
 * into one buffer; the driver keeps its messages and therefore gets copies.
 */
export class CopySocket extends Socket {
  takeRow: TakeRow | undefined;

  constructor() {
    const messages = new MessageSplitter({
      onRow: (chunk, from, to, isWhole) => this.takeRow?.(chunk, from, to, isWhole),
      onOther: (bytes) => this.emit("data", bytes),
    });
    super({
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (size, buffer) => {
          messages.take(Buffer.from(buffer.buffer, buffer.byteOffset, size));
          return true;
        },
      },
    });
  }
}

/**
 * The configuration of a connection that copies rows out. With TLS, the driver needs its own socket; it also reads the
 * TLS mode from the environment.
 */
export function withCopySocket(config: pg.ClientConfig): pg.ClientConfig {
  const { ssl } = new pg.Client(config);
  return ssl ? config : { ...config, stream: () => new CopySocket() };
}

/** Splits PostgreSQL's data into rows and other messages for any chunk boundaries. */
export class MessageSplitter {
  readonly #onRow: TakeRow;
  readonly #onOther: (bytes: Buffer) => void;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  /** The received bytes of the next head. */
  #headBytes = 0;
  /** The missing bytes of the current message. */
  #left = 0;

  constructor({
    onRow,
    onOther,
  }: {
    readonly onRow: TakeRow;
    readonly onOther: (bytes: Buffer) => void;
  }) {
    this.#onRow = onRow;
    this.#onOther = onOther;
  }

  take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#left === 0) {
        at += this.#takeHead(chunk, at);
        continue;
      }
      const to = Math.min(chunk.length, at + this.#left);
      this.#left -= to - at;
      this.#takeBody(chunk, at, to);
      at = to;
    }
  }

  /** Consumes available bytes of a head and returns their number. */
  #takeHead(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#head, this.#headBytes, at, at + HEAD_BYTES - this.#headBytes);
    this.#headBytes += taken;
    if (this.#headBytes < HEAD_BYTES) return taken;
    this.#headBytes = 0;
    this.#left = this.#head.readUInt32BE(1) - LENGTH_BYTES;
    if (!this.#isRow()) this.#onOther(Buffer.from(this.#head));
    else if (this.#left === 0) this.#onRow(chunk, at, at, true);
    return taken;
  }

  #takeBody(chunk: Buffer, from: number, to: number): void {
    if (this.#isRow()) this.#onRow(chunk, from, to, this.#left === 0);
    else this.#onOther(Buffer.from(chunk.subarray(from, to)));
  }

  #isRow(): boolean {
    return this.#head[0] === COPY_DATA;
  }
}
