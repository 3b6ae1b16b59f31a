/**
 * Storage of file contents, in the data folder or an S3-compatible store. An object's name is used once. An
 * object becomes readable when it is complete, and never changes.
 */

/** A byte range. `to` is exclusive. */
export interface ByteSpan {
  readonly from: number;
  readonly to: number;
}

export interface BlobStore {
  /** Writes an object; resolves when it is durable. */
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads a range of an object. Throws `BlobMissing` if it does not exist. */
  read(name: string, span: ByteSpan): AsyncIterable<Uint8Array>;
  /** Deletes an object or the rest of a failed `put`. Deleting a missing object succeeds. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The object of a row is missing: it was deleted from the store, or another store is configured. */
export class BlobMissing extends Error {
  constructor(name: string) {
    super(`The object store does not contain ${name}.`);
    this.name = "BlobMissing";
  }
}
