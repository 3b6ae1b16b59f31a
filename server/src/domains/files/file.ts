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
    mediaType: Type.String({ description: "Found from its content, whatever the sender says" }),
    size: Type.Integer({ description: "In bytes" }),
    sha256: Type.String({ description: "Of its content, in hexadecimal" }),
    width: nullable(Type.Integer({ description: "Of a picture, in pixels" })),
    height: nullable(Type.Integer()),
    attachedTo: nullable(
      Type.Object(
        { type: Type.String(), id: Type.String() },
        { description: "Whoever may read that may read the file" },
      ),
    ),
    createdBy: Type.String(),
    createdAt: Time,
    expiresAt: nullable(
      Type.String({
        format: "date-time",
        description: "When it is deleted unless it is attached to something",
      }),
    ),
  },
  { title: "File" },
);
export type StoredFile = Static<typeof StoredFile>;

const about = { resource: "file", data: StoredFile } as const;
export const FileUploaded = event("file.uploaded", {
  ...about,
  summary: "A file was uploaded; what is in it is not told.",
});
export const FileDeleted = event("file.deleted", { ...about, summary: "A file was deleted." });
export const fileEvents: readonly EventType[] = [FileUploaded, FileDeleted];

export const FileTooLarge = failure("file_too_large", 413, "The file is too large.");
export const QuotaExceeded = failure(
  "file_quota_exceeded",
  507,
  "The files of this workspace take all the space that they may.",
);
export const ShareExceeded = failure(
  "file_share_exceeded",
  507,
  "Your files take all the space that those of one person who asks may.",
);
export const FileAttached = failure(
  "file_attached",
  409,
  "The file is attached to something already.",
);
export const NotAttachable = failure(
  "file_not_attachable",
  422,
  "Only a file of one's own that is attached to nothing can be attached.",
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
