import type { Settings } from "../settings.ts";
import type { BlobStore } from "./blob-store.ts";
import { filesFolder } from "./files-folder.ts";
import { FolderStore } from "./folder-store.ts";
import { S3Store } from "./s3-store.ts";

export type BlobPlace = "folder" | "s3";

/** All blob stores of an installation. New objects are written to one store; existing objects stay in theirs. */
export class BlobStores {
  /** The store for new objects. */
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

  /** The store with this name. Throws if it is no longer configured. */
  at(place: string): BlobStore {
    const store = this.#stores.get(place);
    if (!store) throw new Error(`There are files in ${place}, and MILLRACE_FILE_STORE is not set.`);
    return store;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#stores.values()].map((store) => store.close()));
  }
}
