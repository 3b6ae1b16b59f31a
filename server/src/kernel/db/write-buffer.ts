import type { Writable } from "node:stream";

/** The send methods of the driver's connection. Its types omit them. */
export interface BufferedWrite {
  readonly stream: Writable;
  _send(message: Buffer): unknown;
}

/** Larger messages are not worth copying. */
const COPIED_BYTES_MAX = 16 * 1024;

/**
 * Combines the messages of one event loop turn into one write. The driver writes each separately; a combined
 * write is cheaper than a corked stream.
 */
export class WriteBuffer {
  readonly #connection: BufferedWrite;
  #messages: Buffer[] | undefined;

  constructor(connection: BufferedWrite) {
    this.#connection = connection;
    connection._send = (message) => {
      if (this.#messages) this.#messages.push(message);
      else if (connection.stream.writable) connection.stream.write(message);
    };
  }

  /** Buffers messages until the end of this event loop turn. */
  open(): void {
    if (this.#messages) return;
    this.#messages = [];
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const messages = this.#messages ?? [];
    this.#messages = undefined;
    const { stream } = this.#connection;
    if (!stream.writable || messages.length === 0) return;
    const bytes = messages.reduce((sum, { length }) => sum + length, 0);
    if (bytes <= COPIED_BYTES_MAX) {
      stream.write(Buffer.concat(messages, bytes));
      return;
    }
    stream.cork();
    for (const message of messages) stream.write(message);
    stream.uncork();
  }
}
