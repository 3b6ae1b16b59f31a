import Type, { type Static } from "typebox";
import type { Database } from "#kernel/db/database.ts";
import { Failure, failure, NotFound } from "#kernel/operation/failure.ts";
import { id, nullable, object, Time } from "#kernel/schema/schema.ts";
import { TASKS } from "./events.ts";

export const ImportId = id("arc");

/** The maximum size of an upload part. It is streamed, and sent again after an interruption. */
export const PART_BYTES_MAX = 64 * 1_048_576;
/** The maximum size of an archive. */
export const ARCHIVE_BYTES_MAX = 2 ** 43;
/** Abandoned uploads are deleted. Complete ones are kept longer. */
export const UPLOAD_IDLE_DAYS = 1;
export const IDLE_DAYS = 7;
/** The maximum number of archives in upload. */
export const RECEIVING_MAX = 10;

/** The archive's header, and the result of its check. */
export const ArchiveSummary = object(
  {
    product: Type.String(),
    schema: Type.String({ description: "Last database migration of the source installation" }),
    workspace: object({ slug: Type.String(), name: Type.String() }),
    exportedAt: Type.String(),
    withSecrets: Type.Boolean(),
    rows: Type.Integer(),
    files: Type.Integer(),
    tables: Type.Array(object({ name: Type.String(), rows: Type.Integer() }), {
      description: "Largest files",
    }),
  },
  { title: "ArchiveSummary" },
);
export type ArchiveSummary = Static<typeof ArchiveSummary>;

export const STATES = ["receiving", "received", "checked", "loaded", "activated"] as const;

export const ArchiveImport = Type.Object(
  {
    id: ImportId,
    state: Type.Enum([...STATES]),
    task: nullable(Type.Enum([...TASKS], { description: "Current task" })),
    error: nullable(Type.String({ description: "Error of the last task" })),
    fileName: Type.String(),
    slug: nullable(Type.String({ description: "Slug that replaces the original slug" })),
    bytes: Type.Integer(),
    receivedBytes: Type.Integer({ description: "Upload continues at this position" }),
    readBytes: Type.Integer({ description: "Progress of the task" }),
    summary: nullable(ArchiveSummary),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "ArchiveImport" },
);
export type ArchiveImport = Static<typeof ArchiveImport>;

export const TooManyUploads = failure(
  "too_many_uploads",
  409,
  `At most ${RECEIVING_MAX} uploads can be active. Discard an unused upload.`,
);
export const ImportBusy = failure(
  "import_busy",
  409,
  "The archive is being checked, loaded, activated or discarded.",
);
export const ImportWrongState = failure(
  "import_wrong_state",
  409,
  "The state of the archive does not allow this action.",
);
export const ImportConflict = failure(
  "import_conflict",
  409,
  "Another upload of this workspace has started. Continue or discard it.",
);
export const WrongOffset = failure(
  "wrong_offset",
  409,
  "The part does not start at the current position. Read `receivedBytes` and continue there.",
);
export const PartTooLarge = failure(
  "part_too_large",
  413,
  `A part can have at most ${PART_BYTES_MAX} bytes.`,
);

const IMPORTS_MAX = 100;
export const IMPORT_JOB = "installation.import_task";

// A task without its job is reported as failed, because nothing else would update it.
const SELECT = `
  select id, state, file_name as "fileName", slug, bytes::float8 as bytes,
         received_bytes::float8 as "receivedBytes", read_bytes::float8 as "readBytes", summary,
         created_at as "createdAt", updated_at as "updatedAt",
         case when a.gone then null else task end as task,
         case when a.gone then 'Its job was given up.' else error end as error
    from archive_imports i, lateral (
         select task is not null and not exists (
           select from jobs j where j.kind = '${IMPORT_JOB}' and j.key = i.id and j.failed_at is null) as gone) a`;

type Db = Pick<Database, "system">;

export function listImports(db: Db): Promise<ArchiveImport[]> {
  return db.system<ArchiveImport>(`${SELECT} order by id desc limit ${IMPORTS_MAX}`);
}

export async function getImport(db: Db, importId: string): Promise<ArchiveImport> {
  const [row] = await db.system<ArchiveImport>(`${SELECT} where id = $1`, [importId]);
  if (!row) throw new Failure(NotFound);
  return row;
}
