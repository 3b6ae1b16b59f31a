import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../embedded/cluster.ts";
import { errnoOf } from "../embedded/processes.ts";
import { BlobMissing, type BlobStore, type ByteSpan } from "./blob-store.ts";

const CHUNK_BYTES = 256 * 1024;

/** Stores objects as files in a folder. */
export class FolderStore implements BlobStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async put(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const path = join(this.#root, name);
    const folder = dirname(path);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(path, "wx", 0o600);
    try {
      for await (const chunk of content) await writeWhole(file, chunk);
      // The row becomes durable with its transaction, so the file must be durable before.
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(folder);
    if (made !== undefined) await syncFolder(dirname(made));
  }

  async *read(name: string, { from, to }: ByteSpan): AsyncIterable<Uint8Array> {
    const file = await open(join(this.#root, name), "r").catch((error: unknown) => {
      throw errnoOf(error) === "ENOENT" ? new BlobMissing(name) : error;
    });
    try {
      for (let at = from; at < to;) {
        // A new buffer for each chunk, because the consumer may still hold the previous one.
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - at));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) throw new BlobMissing(name);
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#root, name), { force: true });
  }

  async close(): Promise<void> {}
}

type OpenFile = Awaited<ReturnType<typeof open>>;

async function writeWhole(file: OpenFile, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, at);
    at += bytesWritten;
  }
}
