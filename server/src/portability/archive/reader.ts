import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { Validator } from "#kernel/schema/validator.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { CONTENT_BYTES_MAX, Head, HEAD_BYTES_MAX, MAGIC } from "./frame.ts";

const decompress = promisify(zstdDecompress);
const UNPACKED_ROOM_BYTES = 64;
const heads = new Validator(Head, "body");

/** A frame with a verified head. Its content is verified when it is requested. */
export interface Frame {
  readonly number: number;
  readonly head: Head;
  /** The hash of everything before it, and including it. */
  readonly before: string;
  readonly after: string;
  content(): Promise<Buffer>;
}

/** The bytes of an archive from its start. */
export type ArchiveBytes = AsyncIterable<Uint8Array>;

const READ_BYTES = 1_048_576;

/** The bytes of an archive file. */
export async function* readArchiveFile(path: string): ArchiveBytes {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new StartupError(`${path} can't be read.`, { cause: error });
  }
}

/** Reads the frames of an archive in order. Errors are messages for the importing user. */
export async function* readArchive(bytes: ArchiveBytes): AsyncGenerator<Frame> {
  const source = new Source(bytes);
  try {
    if (!(await source.take(MAGIC.length)).equals(Buffer.from(MAGIC)))
      throw archiveError("is not a workspace archive, or has an unknown format");
    for (let number = 0; ; number += 1) {
      const before = source.total();
      const head = await readHead(source);
      const packed = await source.take(head.packed);
      const isEnd = head.kind === "end";
      if (isEnd && !(await source.isOver())) throw archiveError("has data after its end");
      yield { number, head, before, after: source.total(), content: () => unpack(head, packed) };
      if (isEnd) return;
    }
  } finally {
    await source.close();
  }
}

/** Reads frames ahead: the next one is read, unpacked and verified while the database processes the current one. */
export async function* readAhead(
  frames: AsyncGenerator<Frame>,
  {
    from,
    check,
  }: {
    /** The number of the first frame whose content is needed. */
    readonly from: number;
    /** Throws for invalid content. */
    readonly check: (head: Head, content: Buffer) => void;
  },
): AsyncGenerator<Frame> {
  const next = async (): Promise<IteratorResult<Frame, void>> => {
    const read = await frames.next();
    if (read.done || read.value.number < from) return read;
    const { head } = read.value;
    const content = read.value.content().then((unpacked) => {
      check(head, unpacked);
      return unpacked;
    });
    // A failure is reported when the content is requested.
    content.catch(() => undefined);
    return { done: false, value: { ...read.value, content: () => content } };
  };
  let coming = next();
  for (;;) {
    const { value, done } = await coming;
    if (done) return;
    coming = next();
    coming.catch(() => undefined);
    yield value;
  }
}

/** The next frame. An archive that ends here is truncated. */
export async function nextFrame(frames: AsyncGenerator<Frame>): Promise<Frame> {
  const { value, done } = await frames.next();
  if (done) throw archiveError("is incomplete");
  return value as Frame;
}

export function archiveError(what: string): StartupError {
  return new StartupError(`The archive ${what}. The workspace stays hidden in this installation.`);
}

async function readHead(source: Source): Promise<Head> {
  const length = (await source.take(4)).readUInt32BE();
  if (length > HEAD_BYTES_MAX) throw archiveError("has a header that is too long");
  const text = (await source.take(length)).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw archiveError("has a header that can't be read");
  }
  const result = heads.check(value);
  if ("value" in result) return result.value as Head;
  const [error] = result.errors;
  throw archiveError(`has an invalid header at ${error?.path ?? ""}: ${error?.message ?? ""}`);
}

async function unpack(head: Head, packed: Buffer): Promise<Buffer> {
  // The declared size limits the unpacking.
  const maxOutputLength = Math.min(Math.max(head.bytes, 1), CONTENT_BYTES_MAX);
  // In one buffer with some room, because otherwise another buffer would be allocated to detect the end.
  const options = { maxOutputLength, chunkSize: maxOutputLength + UNPACKED_ROOM_BYTES };
  const content = await decompress(packed, options).catch(() => undefined);
  if (content?.length !== head.bytes || hash("sha256", content) !== head.sha256)
    throw archiveError("was changed or is damaged: a checksum does not match");
  return content;
}

/** The bytes of an archive in order, and the hash of the consumed ones. */
class Source {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #total = createHash("sha256");
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: ArchiveBytes) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    if (this.#rest.length < length) {
      const parts = [this.#rest];
      for (let have = this.#rest.length; have < length;) {
        const chunk = await this.#next();
        if (chunk === undefined) throw archiveError("is incomplete");
        parts.push(chunk);
        have += chunk.length;
      }
      this.#rest = Buffer.concat(parts);
    }
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.#total.update(taken);
    return taken;
  }

  total(): string {
    return this.#total.copy().digest("hex");
  }

  async isOver(): Promise<boolean> {
    if (this.#rest.length > 0) return false;
    for (let chunk = await this.#next(); chunk; chunk = await this.#next())
      if (chunk.length > 0) return false;
    return true;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #next(): Promise<Buffer | undefined> {
    const { value, done } = await this.#chunks.next();
    if (done) return undefined;
    const chunk = value as Uint8Array;
    return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}
