import type { Settings } from "../settings.ts";
import type { BlobStore } from "./blob-store.ts";
import { filesFolder } from "./files-folder.ts";
import { FolderStore } from "./folder-store.ts";
import { S3Store } from "./s3-store.ts";

export type BlobPlace = "folder" | "s3";

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
