/** Counts of the traffic to PostgreSQL. */
export interface WireCounts {
  /** Executed statements. */
  readonly statements: number;
  /** The number of sends after receiving data. */
  readonly roundTrips: number;
}

/** A connection's stream of messages: one byte of type, four of length, and the rest. */
interface Stream {
  /** Missing bytes of the current message. */
  left: number;
  /** The start of a message whose length is not known yet. */
  head: Buffer;
  bytesRead: number;
}

const PROTOCOL_3 = 0x0003_0000;
const QUERY = 0x51;
const EXECUTE = 0x45;
const HEAD_BYTES = 5;

/** Parses what connections send in PostgreSQL's protocol. Other protocols start differently and are ignored. */
export class WireCounter {
  readonly #streams = new WeakMap<object, Stream | "other">();
  readonly counts = { statements: 0, roundTrips: 0 };

  /** Records bytes that a connection sends after receiving `bytesRead` bytes in total. */
  see(connection: object, bytes: Buffer, bytesRead: number): void {
    const known = this.#streams.get(connection);
    if (known === "other") return;
    if (known === undefined) {
      const isOurs = bytes.length >= 8 && bytes.readInt32BE(4) >> 16 === PROTOCOL_3 >> 16;
      const stream = isOurs && { left: bytes.readInt32BE(0), head: Buffer.alloc(0), bytesRead };
      this.#streams.set(connection, stream || "other");
      if (stream) this.#follow(stream, bytes);
      return;
    }
    if (bytesRead > known.bytesRead) this.counts.roundTrips += 1;
    known.bytesRead = bytesRead;
    this.#follow(known, bytes);
  }

  #follow(stream: Stream, bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      const taken = Math.min(stream.left, rest.length);
      stream.left -= taken;
      rest = rest.subarray(taken);
      if (rest.length === 0) return;
      const needed = HEAD_BYTES - stream.head.length;
      stream.head = Buffer.concat([stream.head, rest.subarray(0, needed)]);
      rest = rest.subarray(needed);
      if (stream.head.length < HEAD_BYTES) return;
      const [type] = stream.head;
      if (type === QUERY || type === EXECUTE) this.counts.statements += 1;
      // The length includes itself but not the type.
      stream.left = stream.head.readInt32BE(1) - 4;
      stream.head = Buffer.alloc(0);
    }
  }
}
