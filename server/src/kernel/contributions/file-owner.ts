/** Things that files are attached to: whoever may read the thing may read its files. */
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** A file, as far as the thing that it is attached to has to know it. */
export interface AttachedFile {
  readonly id: string;
  /** The id of the thing. */
  readonly attachedId: string;
  /** True when only those who work on the thing may see it. */
  readonly internal: boolean;
}

/** One type of things that files are attached to. */
export interface FileOwner {
  /** The resource type, as in events: `incident`, `article`. */
  readonly type: string;
  /** True when the caller may read the file, in the partition of the transaction. */
  readonly canRead: (ctx: ReadContext, file: AttachedFile) => Promise<boolean>;
}

export const FileOwnerPoint = extensionPoint<FileOwner>("kernel.file_owners");
