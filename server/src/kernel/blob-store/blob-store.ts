/**
 * Where the contents of files lie: in the data folder, or in a store that speaks the protocol of S3. An object has a
 * name that is used once, is written as a whole before anyone may read it, and never changes.
 */

/** From this byte up to that, which is not among them. */
export interface ByteSpan {
  readonly from: number;
  readonly to: number;
}

export interface BlobStore {
  /** Writes an object; resolves when it is durable. */
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads a part of an object. Throws `BlobMissing` where there is none. */
  read(name: string, span: ByteSpan): AsyncIterable<Uint8Array>;
  /** Removes an object, or what a broken `put` left of it; one that is not there is removed already. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The object that a row names is not in the store: somebody took it, or the store is not the one it was put in. */
export class BlobMissing extends Error {
  constructor(name: string) {
    super(`The object ${name} is not in the store.`);
    this.name = "BlobMissing";
  }
}
