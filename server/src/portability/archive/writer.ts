import { createHash, hash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { freeBuffer } from "../copy.ts";
import { CONTENT_BYTES_MAX, MAGIC, type NewHead } from "./frame.ts";
import type { ArchiveSink } from "./sink.ts";

const compress = promisify(zstdCompress);
/** Rows compress to a tenth or less, so this gives few event loop turns and little unused memory. */
const PACKED_CHUNK_BYTES = 524_288;
/** Room for incompressible content. Most tables have few rows, and half a megabyte was allocated for each. */
const PACKED_ROOM_BYTES = 1_024;
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 };

/**
 * Writes an archive. A frame is compressed while the next one is read, with a few in memory at a time, independent of
 * the workspace's size.
 */
export class ArchiveWriter {
  readonly #sink: ArchiveSink;
  readonly #total = createHash("sha256");
  #written: Promise<void> = Promise.resolve();
  bytes = 0;

  private constructor(sink: ArchiveSink) {
    this.#sink = sink;
  }

  static async create(sink: ArchiveSink): Promise<ArchiveWriter> {
    const writer = new ArchiveWriter(sink);
    await writer.#append([Buffer.from(MAGIC)]);
    return writer;
  }

  /** Accepts a frame, whose content is freed after writing. Resolves when there is room for another one. */
  async write(head: NewHead, content: Buffer = Buffer.alloc(0)): Promise<void> {
    if (content.length > CONTENT_BYTES_MAX) throw new Error("A row is too large for an archive.");
    const chunkSize = Math.min(content.length + PACKED_ROOM_BYTES, PACKED_CHUNK_BYTES);
    const packed = compress(content, { chunkSize, params: PARAMS });
    const before = this.#written;
    this.#written = (async () => {
      await before;
      const frame = await packed;
      const full = {
        ...head,
        bytes: content.length,
        packed: frame.length,
        sha256: hash("sha256", content),
      };
      freeBuffer(content);
      const text = Buffer.from(JSON.stringify(full));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      await this.#append([length, text, frame]);
    })();
    await before;
  }

  /** The hash of all accepted frames. */
  async total(): Promise<string> {
    await this.#written;
    return this.#total.copy().digest("hex");
  }

  async finish(): Promise<void> {
    await this.#written;
    await this.#sink.finish();
  }

  async discard(): Promise<void> {
    await this.#written.catch(() => undefined);
    await this.#sink.discard();
  }

  async #append(buffers: readonly Buffer[]): Promise<void> {
    for (const buffer of buffers) {
      this.#total.update(buffer);
      this.bytes += buffer.length;
      await this.#sink.append(buffer);
    }
  }
}
