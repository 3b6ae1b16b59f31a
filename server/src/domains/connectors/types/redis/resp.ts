/**
 * The Redis protocol (RESP 2). It is small enough to implement without a dependency: a command is a list of byte
 * strings, and its reply is one value. A reply is decoded as it arrives, up to the size limits.
 */
import { isUtf8 } from "node:buffer";

const LINE_BYTES_MAX = 65_536;
const DEPTH_MAX = 8;
const CRLF = "\r\n";

/** A refusal of the server: `ERR unknown command`. */
export class RespError extends Error {
  override readonly name = "RespError";
}

/** The reply violates the protocol, or is too large. */
export class RespViolation extends Error {
  override readonly name = "RespViolation";
}

/** Bytes that are not valid text are returned in base64. */
export type Reply =
  | string
  | number
  | null
  | RespError
  | { readonly base64: string }
  | readonly Reply[];

/** Encodes a command for the wire. */
export function encodeCommand(args: readonly string[]): Buffer {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}${CRLF}${arg}${CRLF}`);
  return Buffer.from(`*${args.length}${CRLF}${parts.join("")}`);
}

/** Decodes replies from chunks of any size; reads each byte once. */
export class RespDecoder {
  readonly #bytesMax: number;
  #bytes = Buffer.allocUnsafe(16_384);
  #end = 0;
  #at = 0;
  /** No line ends before this. */
  #searched = 0;
  #reading: Generator<number | "line", Reply, Buffer> | undefined;
  #wants: number | "line" = "line";

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Adds a chunk; returns the replies that it completes. */
  push(chunk: Uint8Array): Reply[] {
    this.#append(chunk);
    const replies: Reply[] = [];
    for (let part = this.#take(); part; part = this.#take()) {
      const isFirst = !this.#reading;
      this.#reading ??= readReply(0);
      if (isFirst) this.#reading.next();
      const step = this.#reading.next(part);
      if (step.done === true) {
        replies.push(step.value);
        this.#reading = undefined;
        this.#wants = "line";
        this.#drop();
      } else {
        this.#wants = step.value;
      }
    }
    return replies;
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#end + chunk.length;
    if (needed > this.#bytesMax) throw new RespViolation("The response is larger than 1 MiB.");
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(needed * 2, this.#bytesMax));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#end);
    this.#end = needed;
  }

  /** Returns the next requested line or bytes, without the line end. */
  #take(): Buffer | undefined {
    const length = this.#wants === "line" ? this.#lineLength() : this.#wants;
    const next = this.#at + (length ?? 0) + CRLF.length;
    if (length === undefined || next > this.#end) return undefined;
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at = next;
    this.#searched = next;
    return part;
  }

  #lineLength(): number | undefined {
    const from = Math.max(this.#at, this.#searched - 1);
    const found = this.#bytes.subarray(0, this.#end).indexOf(CRLF, from);
    this.#searched = this.#end;
    const length = (found < 0 ? this.#end : found) - this.#at;
    if (length > LINE_BYTES_MAX) throw new RespViolation("The server sent an incomplete line.");
    return found < 0 ? undefined : length;
  }

  /** Drops consumed bytes; between replies the buffer is usually empty. */
  #drop(): void {
    this.#bytes.copy(this.#bytes, 0, this.#at, this.#end);
    this.#end -= this.#at;
    this.#at = 0;
    this.#searched = 0;
  }
}

/** Requests lines and bytes until a reply is complete. */
function* readReply(depth: number): Generator<number | "line", Reply, Buffer> {
  const line = (yield "line").toString();
  const rest = line.slice(1);
  switch (line.charAt(0)) {
    case "+":
      return rest;
    case "-":
      return new RespError(rest);
    case ":":
      return toInteger(rest);
    case "$": {
      const length = toLength(rest);
      return length < 0 ? null : toText(yield length);
    }
    case "*": {
      const length = toLength(rest);
      if (length < 0) return null;
      if (depth >= DEPTH_MAX)
        throw new RespViolation("The response has too many levels of nesting.");
      const items: Reply[] = [];
      for (let index = 0; index < length; index += 1) items.push(yield* readReply(depth + 1));
      return items;
    }
    default:
      throw new RespViolation("The server does not use the Redis protocol.");
  }
}

/** A number that JSON readers would round stays a text. */
function toInteger(text: string): number | string {
  if (!/^[+-]?\d{1,20}$/.test(text)) throw new RespViolation("The server did not send a number.");
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function toLength(text: string): number {
  const length = toInteger(text);
  if (typeof length !== "number" || length < -1) {
    throw new RespViolation("The server did not send a length.");
  }
  return length;
}

function toText(bytes: Buffer): Reply {
  return isUtf8(bytes) ? bytes.toString() : { base64: bytes.toString("base64") };
}
