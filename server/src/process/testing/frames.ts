/** A message of PostgreSQL's protocol with its head. */
export interface Frame {
  /** Its letter, or "" for the first message of a connection. */
  readonly type: string;
  readonly bytes: Buffer;
}

const HEAD_BYTES = 5;

/** Assembles chunks of a socket into complete messages. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0);
  /** A client's first message has a length and no letter. */
  #opened: boolean;

  constructor(from: "client" | "server") {
    this.#opened = from === "server";
  }

  *add(piece: Buffer): Generator<Frame> {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const head = this.#opened ? HEAD_BYTES : HEAD_BYTES - 1;
      if (this.#rest.length < head) return;
      const length = this.#rest.readUInt32BE(head - 4) + head - 4;
      if (this.#rest.length < length) return;
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const type = this.#opened ? String.fromCharCode(bytes[0] ?? 0) : "";
      this.#opened = true;
      yield { type, bytes };
    }
  }
}

/** The user and the database of a connection. */
export function openingOf({ bytes }: Frame): string {
  const words = bytes.subarray(8).toString("utf8").split("\0");
  const valueOf = (name: string): string => words[words.indexOf(name) + 1] ?? "";
  return `${valueOf("user")} ${valueOf("database")}`;
}

/** The message that tells a client its server process. */
export function processFrame(processId: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.write("K");
  bytes.writeUInt32BE(12, 1);
  bytes.writeUInt32BE(processId, HEAD_BYTES);
  return bytes;
}
