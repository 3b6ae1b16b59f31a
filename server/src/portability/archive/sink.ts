import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import type { BlobStore } from "#kernel/blob-store/blob-store.ts";
import { syncFolder } from "#kernel/embedded/cluster.ts";

/** Where the bytes of an archive go. It is there when it was finished, and not before. */
export interface ArchiveSink {
  append(bytes: Buffer): Promise<void>;
  finish(): Promise<void>;
  /** Leaves nothing of it. */
  discard(): Promise<void>;
}

/** A file, written beside its place and put there when it is whole. */
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

/** An object of a store, which an earlier attempt may have left a part of. */
export async function openStoreSink(store: BlobStore, name: string): Promise<ArchiveSink> {
  await store.remove(name);
  const pipe = new PassThrough({ highWaterMark: PIPE_BYTES });
  const stored = store.put(name, pipe);
  const broken = new Promise<never>((_resolve, reject) => void stored.catch(reject));
  // The next append tells of it.
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
