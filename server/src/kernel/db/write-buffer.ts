import type { Writable } from "node:stream";

/** The part of the driver's connection that messages leave by; its types leave that out. */
export interface BufferedWrite {
  readonly stream: Writable;
  _send(message: Buffer): unknown;
}

/** More than this is not worth copying. */
const COPIED_BYTES_MAX = 16 * 1024;

/**
 * Puts messages together that are sent before the event loop goes on. The driver writes each for itself;
 * one write of all costs less than a stream that is told to gather them.
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

  /** From now until the event loop goes on. */
  open(): void {
    if (this.#messages) return;
    this.#messages = [];
    process.nextTick(() => this.#leave());
  }

  #leave(): void {
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
