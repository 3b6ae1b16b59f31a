/** Resources with attached files. Read access to the resource includes its files. */
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** File fields for the access check by its resource. */
export interface AttachedFile {
  readonly id: string;
  /** The id of the resource. */
  readonly attachedId: string;
  /** True if only agents may see the file. */
  readonly internal: boolean;
}

/** A resource type with attached files. */
export interface FileOwner {
  /** The resource type, as in events: `incident`, `article`. */
  readonly type: string;
  /** True when the caller may read the file, in the partition of the transaction. */
  readonly canRead: (ctx: ReadContext, file: AttachedFile) => Promise<boolean>;
}

export const FileOwnerPoint = extensionPoint<FileOwner>("kernel.file_owners");
