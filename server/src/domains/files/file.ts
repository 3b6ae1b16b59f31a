import Type, { type Static } from "typebox";
import { event, type EventType } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";

export const FileId = id("file");
export const EXAMPLE_ID = "file_01jzt3n5k8q2x4v6w8y0z2b4d6";
export const FILE_NAME_MAX = 200;

export const StoredFile = Type.Object(
  {
    id: FileId,
    name: line(FILE_NAME_MAX),
    mediaType: Type.String({ description: "Detected from the content" }),
    size: Type.Integer({ description: "Size in bytes" }),
    sha256: Type.String({ description: "Hash of the content, in hexadecimal" }),
    width: nullable(Type.Integer({ description: "Size of an image in pixels" })),
    height: nullable(Type.Integer()),
    attachedTo: nullable(
      Type.Object(
        { type: Type.String(), id: Type.String() },
        { description: "Everyone who can view this resource can read the file" },
      ),
    ),
    createdBy: Type.String(),
    createdAt: Time,
    expiresAt: nullable(
      Type.String({
        format: "date-time",
        description: "Time of deletion if the file is not attached until then",
      }),
    ),
  },
  { title: "File" },
);
export type StoredFile = Static<typeof StoredFile>;

const about = { resource: "file", data: StoredFile } as const;
export const FileUploaded = event("file.uploaded", {
  ...about,
  summary: "A file was uploaded. The event does not contain its content.",
});
export const FileDeleted = event("file.deleted", { ...about, summary: "A file was deleted." });
export const fileEvents: readonly EventType[] = [FileUploaded, FileDeleted];

export const FileTooLarge = failure("file_too_large", 413, "The file is too large.");
export const QuotaExceeded = failure(
  "file_quota_exceeded",
  507,
  "The storage limit of the workspace is reached.",
);
export const ShareExceeded = failure(
  "file_share_exceeded",
  507,
  "The storage limit of your files is reached.",
);
export const FileAttached = failure("file_attached", 409, "The file is already attached.");
export const NotAttachable = failure(
  "file_not_attachable",
  422,
  "Only files that you uploaded and that are not attached can be attached.",
);

/** The resource type for files of runs. */
export const RUN = "run";

/** How long an unattached file is kept. */
export const UNATTACHED_MS = 24 * 3_600_000;

export interface FileRow {
  readonly id: string;
  readonly blob_id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly attached_type: string | null;
  readonly attached_id: string | null;
  readonly internal: boolean;
  readonly revision: number;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly place: string;
  readonly sha256: string;
}

/** The columns of a file and its content. `from` must join both tables. */
export const FILE_SELECT = `
  select f.id, f.blob_id, f.name, f.media_type, f.size::float8 as size, f.width, f.height, f.attached_type,
         f.attached_id, f.internal, f.revision, f.created_by, f.created_at, f.expires_at,
         b.place, encode(b.sha256, 'hex') as sha256`;

/** A file in API format. */
export function toFile(row: FileRow): StoredFile & { readonly revision: number } {
  return {
    id: row.id,
    name: row.name,
    mediaType: row.media_type,
    size: row.size,
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    attachedTo:
      row.attached_type === null || row.attached_id === null
        ? null
        : { type: row.attached_type, id: row.attached_id },
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revision: row.revision,
  };
}
