/**
 * Stores a content. No transaction is open while bytes arrive: a row announces the object, the bytes follow, and one
 * transaction makes the row a content with its file. An interruption leaves a row, from which the collector deletes
 * the object.
 */
import { createHash } from "node:crypto";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import { readDimensions } from "./pictures/dimensions.ts";
import { sniffMediaType, SNIFFED_BYTES } from "./content/media-type.ts";
import { cleanFileName } from "./content/file-name.ts";
import { FileTooLarge, QuotaExceeded } from "./file.ts";

/** A stored content without a file. It is deleted after a day. */
export interface StoredContent {
  readonly blobId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly sha256: Buffer;
  readonly width: number | null;
  readonly height: number | null;
}

const BLOB_ID = /^[a-z]{3,8}_[0-9a-hjkmnp-tv-z]{26}$/;

/** True for an id that is safe in a path. */
export function isBlobId(value: string): boolean {
  return BLOB_ID.test(value);
}

/** The name of an object. The contents of a workspace are in one folder. */
export function objectName(workspace: string, blobId: string): string {
  if (!isBlobId(blobId))
    throw new Error("An id of a file that was never made here was to become a path.");
  return `${workspace}/${blobId.slice(-2)}/${blobId}`;
}

/**
 * Reads a stream into the store. Throws `FileTooLarge` and `QuotaExceeded` as early as possible, and deletes
 * interrupted data. Must be called outside a transaction; `insertFile` follows in one.
 */
export async function storeFile(
  platform: Platform,
  partition: Partition,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { name }: { readonly name: string },
): Promise<StoredContent> {
  const { blobStores, settings, db, clock } = platform;
  const blobId = newId("blb", clock.nowMs());
  const { place } = blobStores;
  const used = await db.write(partition, async (session) => {
    session.post(
      "insert into blobs (id, state, place, created_at) values ($1, 'pending', $2, $3)",
      [blobId, place, clock.now()],
    );
    const [row] = await session.send<{ bytes: number }>(READ_USAGE, []);
    return row?.bytes ?? 0;
  });
  const quota = settings.fileQuotaBytes === 0 ? Infinity : settings.fileQuotaBytes - used;
  const meter = new ContentMeter({ bytesMax: settings.fileBytesMax, quotaBytes: quota });
  const store = blobStores.at(place);
  const object = objectName(partition.workspace, blobId);
  try {
    await store.put(object, meter.measure(content));
    const clean = cleanFileName(name);
    const mediaType = await sniffMediaType(meter.head, clean);
    const { size, sha256 } = meter;
    const { width = null, height = null } = readDimensions(mediaType, meter.head) ?? {};
    return { blobId, name: clean, mediaType, size, sha256, width, height };
  } catch (error) {
    await discard(platform, partition, blobId).catch((cause: unknown) =>
      platform.log.warn({ err: cause, blobId }, "a broken upload is left to the collector"),
    );
    throw error;
  }
}

const READ_USAGE = "select bytes::float8 as bytes from file_usage";

/** Deletes a content that will not get a file. */
export async function discard(
  { db, blobStores }: Platform,
  partition: Partition,
  blobId: string,
): Promise<void> {
  await blobStores.at(blobStores.place).remove(objectName(partition.workspace, blobId));
  await db.write(partition, (session) =>
    session.send("delete from blobs where id = $1 and state = 'pending'", [blobId]),
  );
}

/** The failure of a content above the file size limit. */
export function tooLarge(bytesMax: number): Failure {
  return new Failure(FileTooLarge, {
    detail: `A file can have at most ${bytesMax} bytes here.`,
    extra: { bytesMax },
  });
}

/** Counts and hashes passing bytes, and keeps the first ones. */
class ContentMeter {
  readonly #hash = createHash("sha256");
  readonly #limits: { readonly bytesMax: number; readonly quotaBytes: number };
  readonly #heads: Uint8Array[] = [];
  #headBytes = 0;
  #size = 0;

  constructor(limits: { readonly bytesMax: number; readonly quotaBytes: number }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  get head(): Uint8Array {
    return Buffer.concat(this.#heads);
  }

  get sha256(): Buffer {
    return this.#hash.digest();
  }

  async *measure(
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    const { bytesMax, quotaBytes } = this.#limits;
    const turn = new TurnTimer();
    for await (const chunk of content) {
      // Bytes in memory, such as an e-mail attachment, arrive without yielding.
      if (turn.isOver()) await turn.next();
      this.#size += chunk.length;
      if (this.#size > bytesMax) throw tooLarge(bytesMax);
      if (this.#size > quotaBytes) throw new Failure(QuotaExceeded);
      this.#hash.update(chunk);
      this.#keepHead(chunk);
      yield chunk;
    }
  }

  #keepHead(chunk: Uint8Array): void {
    if (this.#headBytes >= SNIFFED_BYTES) return;
    const part = Uint8Array.from(chunk.subarray(0, SNIFFED_BYTES - this.#headBytes));
    this.#heads.push(part);
    this.#headBytes += part.length;
  }
}
