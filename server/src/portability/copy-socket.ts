import { Socket } from "node:net";
import pg from "pg";

const READ_BYTES = 262_144;
/** A message has a letter for its kind, and its length without that. */
const HEAD_BYTES = 5;
const LENGTH_BYTES = 4;
/** The kind of a message with a row. */
const COPY_DATA = 100;

/** Takes the bytes of a row, of which more may follow. They are overwritten when it returns. */
export type TakeRow = (chunk: Buffer, from: number, to: number, isWhole: boolean) => void;

/**
 * A connection to PostgreSQL on which the rows of a COPY go past the driver, which would make an object of each of
 * them. All is read into one buffer; the driver, which keeps what it is given, gets copies of its messages.
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
 * The configuration of a connection that copies rows out. With TLS the driver needs a socket of its own; whether it has
 * that, it also reads from the environment.
 */
export function withCopySocket(config: pg.ClientConfig): pg.ClientConfig {
  const { ssl } = new pg.Client(config);
  return ssl ? config : { ...config, stream: () => new CopySocket() };
}

/** Splits what PostgreSQL sends into rows and everything else, wherever the pieces end that it comes in. */
export class MessageSplitter {
  readonly #onRow: TakeRow;
  readonly #onOther: (bytes: Buffer) => void;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  /** How much of the next head has come. */
  #headBytes = 0;
  /** How much of the present message is still to come. */
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

  /** Takes what is there of a head, and returns how much that is. */
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
