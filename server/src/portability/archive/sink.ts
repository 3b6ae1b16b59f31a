import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import type { BlobStore } from "#kernel/blob-store/blob-store.ts";
import { syncFolder } from "#kernel/embedded/cluster.ts";

/** The destination of an archive, which exists only after it was finished. */
export interface ArchiveSink {
  append(bytes: Buffer): Promise<void>;
  finish(): Promise<void>;
  /** Removes all written data. */
  discard(): Promise<void>;
}

/** A file that is written next to its place and moved there when complete. */
export async function openFileSink(path: string): Promise<ArchiveSink> {
  const part = `${path}.part`;
  await rm(part, { force: true });
  const file = await open(part, "wx", 0o600);
  return {
    append: (bytes) => file.appendFile(bytes),
    async finish() {
      await file.sync();
      await file.close();
      await rename(part, path);
      await syncFolder(dirname(path));
    },
    async discard() {
      await file.close().catch(() => undefined);
      await rm(part, { force: true });
    },
  };
}

const PIPE_BYTES = 8 * 1_048_576;

/** An object in a store. A part of it may exist from an earlier attempt. */
export async function openStoreSink(store: BlobStore, name: string): Promise<ArchiveSink> {
  await store.remove(name);
  const pipe = new PassThrough({ highWaterMark: PIPE_BYTES });
  const stored = store.put(name, pipe);
  const broken = new Promise<never>((_resolve, reject) => void stored.catch(reject));
  // The next append reports it.
  broken.catch(() => undefined);
  return {
    async append(bytes) {
      if (!pipe.write(bytes)) await Promise.race([once(pipe, "drain"), broken]);
    },
    async finish() {
      pipe.end();
      await stored;
    },
    async discard() {
      pipe.destroy();
      await stored.catch(() => undefined);
      await store.remove(name);
    },
  };
}
