/**
 * Where the contents of files lie: in the data folder, or in a store that speaks the protocol of S3. An object has a
 * name that is used once, is written as a whole before anyone may read it, and never changes.
 */
import { join } from "node:path";
import type { Settings } from "../settings.ts";
import { FolderStore } from "./folder-store.ts";
import { S3Store } from "./s3-store.ts";

export const BLOB_PLACES = ["folder", "s3"] as const;
export type BlobPlace = (typeof BLOB_PLACES)[number];

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

/** The stores of an installation: new objects go to one, older ones stay where they are. */
export class BlobStores {
  /** The place of new objects. */
  readonly place: BlobPlace;
  readonly #stores: ReadonlyMap<string, BlobStore>;

  constructor({
    dataDir,
    fileStoreUrl,
    outboundCaPem,
  }: Pick<Settings, "dataDir" | "fileStoreUrl" | "outboundCaPem">) {
    this.place = fileStoreUrl === undefined ? "folder" : "s3";
    this.#stores = new Map<BlobPlace, BlobStore>([
      ["folder", new FolderStore(filesFolder(dataDir))],
      ...(fileStoreUrl === undefined
        ? []
        : [["s3", new S3Store(fileStoreUrl, outboundCaPem)] as const]),
    ]);
  }

  /** The store at a place; throws where this installation has none there any more. */
  at(place: string): BlobStore {
    const store = this.#stores.get(place);
    if (!store) throw new Error(`There are files in ${place}, and MILLRACE_FILE_STORE is not set.`);
    return store;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#stores.values()].map((store) => store.close()));
  }
}

/** The folder of contents within the data folder. */
export function filesFolder(dataDir: string): string {
  return join(dataDir, "files");
}
