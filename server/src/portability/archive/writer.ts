import { createHash, hash } from "node:crypto";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { syncFolder } from "#kernel/embedded/cluster.ts";
import { CONTENT_BYTES_MAX, MAGIC, type NewHead } from "./frame.ts";

const compress = promisify(zstdCompress);
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Writes an archive beside its place, and puts it there when it is whole. A frame is compressed while the next one is
 * read: a few are in memory at once, whatever the size of the workspace.
 */
export class ArchiveWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #total = createHash("sha256");
  #written: Promise<void> = Promise.resolve();
  bytes = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<ArchiveWriter> {
    await rm(`${path}.part`, { force: true });
    const writer = new ArchiveWriter(path, await open(`${path}.part`, "wx", 0o600));
    await writer.#append([Buffer.from(MAGIC)]);
    return writer;
  }

  /** Takes a frame; resolves when there is room for another one. */
  async write(head: NewHead, content: Buffer = Buffer.alloc(0)): Promise<void> {
    if (content.length > CONTENT_BYTES_MAX) throw new Error("A row is too large for an archive.");
    const packed = compress(content, OPTIONS);
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
      const text = Buffer.from(JSON.stringify(full));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      await this.#append([length, text, frame]);
    })();
    await before;
  }

  /** The hash of all frames that were taken. */
  async total(): Promise<string> {
    await this.#written;
    return this.#total.copy().digest("hex");
  }

  async finish(): Promise<void> {
    await this.#written;
    await this.#file.sync();
    await this.#file.close();
    await rename(`${this.#path}.part`, this.#path);
    await syncFolder(dirname(this.#path));
  }

  async discard(): Promise<void> {
    await this.#written.catch(() => undefined);
    await this.#file.close().catch(() => undefined);
    await rm(`${this.#path}.part`, { force: true });
  }

  async #append(buffers: readonly Buffer[]): Promise<void> {
    for (const buffer of buffers) {
      this.#total.update(buffer);
      this.bytes += buffer.length;
      await this.#file.appendFile(buffer);
    }
  }
}
