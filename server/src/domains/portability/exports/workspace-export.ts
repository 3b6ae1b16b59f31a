import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, failure, NotFound } from "#kernel/operation/failure.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";

export const ExportId = id("wex");

/** How long an archive is kept. It contains all data of a workspace. */
export const KEPT_DAYS = 7;

export const WorkspaceExport = Type.Object(
  {
    id: ExportId,
    status: Type.Enum(["running", "made", "failed"]),
    withSecrets: Type.Boolean(),
    rows: Type.Integer({ description: "Current size while the export is running" }),
    files: Type.Integer(),
    bytes: Type.Integer(),
    error: nullable(Type.String()),
    requestedBy: Type.String(),
    createdAt: Time,
    finishedAt: nullable(Time),
    expiresAt: nullable(
      Type.String({ format: "date-time", description: `${KEPT_DAYS} days after the creation` }),
    ),
  },
  { title: "WorkspaceExport" },
);
export type WorkspaceExport = Static<typeof WorkspaceExport>;

/** Includes the storage location, which the API does not expose. */
export type StoredExport = WorkspaceExport & { readonly place: string | null };

export const ExportRunning = failure(
  "export_running",
  409,
  "Another export of this workspace is already running.",
);
export const ExportUnfinished = failure(
  "export_unfinished",
  409,
  "The export is not completed, or it failed.",
);

/** The object of an archive. */
export function exportObject(exportId: string): string {
  return `archives/${exportId}`;
}

const EXPORTS_MAX = 50;
export const EXPORT_JOB = "installation.export_workspace";

// An export without its job is reported as failed, because nothing else would update it.
const SELECT = `
  select id, with_secrets as "withSecrets", rows::float8 as rows, files, bytes::float8 as bytes, place,
         requested_by as "requestedBy", created_at as "createdAt", finished_at as "finishedAt",
         case when status = 'made' then finished_at + interval '${KEPT_DAYS} days' end as "expiresAt",
         case when a.gone then 'failed' else status end as status,
         case when a.gone then 'Its job was given up.' else error end as error
    from workspace_exports e, lateral (
         select status = 'running' and not exists (
           select from jobs j where j.kind = '${EXPORT_JOB}' and j.key = e.id and j.failed_at is null) as gone) a`;

export async function listExports(tx: Tx): Promise<readonly StoredExport[]> {
  const text = `${SELECT} where status <> 'deleted' order by id desc limit ${EXPORTS_MAX}`;
  return queryRows<StoredExport>(tx, text, []);
}

export async function getExport(tx: Tx, exportId: string): Promise<StoredExport> {
  const [row] = await queryRows<StoredExport>(
    tx,
    `${SELECT} where id = $1 and status <> 'deleted'`,
    [exportId],
  );
  if (!row) throw new Failure(NotFound);
  return row;
}
