import { type Insertable, type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import type { Content, Export, StoredExport } from "./export.ts";
import type { FormatState } from "./file/file-format.ts";

type Row = Selectable<Tables["exports"]>;

export async function insert(tx: Tx, row: Insertable<Tables["exports"]>): Promise<StoredExport> {
  return toExport(
    await tx.insertInto("exports").values(row).returningAll().executeTakeFirstOrThrow(),
  );
}

export async function find(tx: Tx, id: string): Promise<StoredExport | undefined> {
  const row = await byId(tx, id).executeTakeFirst();
  return row && toExport(row);
}

/** An export requested by this user; any export if no user is given. */
export async function get(
  tx: Tx,
  id: string,
  runAs: string | undefined,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<StoredExport> {
  const row = await byId(tx, id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row || (runAs !== undefined && row.run_as !== runAs)) throw new Failure(NotFound);
  return toExport(row);
}

/** Newest first; `before` is the id of the last item of the previous page. */
export async function list(
  tx: Tx,
  query: {
    readonly runAs: string | undefined;
    readonly before: string | undefined;
    readonly limit: number;
  },
): Promise<StoredExport[]> {
  const { runAs, before, limit } = query;
  const rows = await tx
    .selectFrom("exports")
    .selectAll()
    .$if(runAs !== undefined, (query) => query.where("run_as", "=", runAs ?? ""))
    .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toExport);
}

/** The number of unfinished exports. */
export async function countOpen(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("exports")
    .select((row) => row.fn.countAll<number>().as("n"))
    .where("status", "in", ["queued", "running"])
    .executeTakeFirstOrThrow();
  return n;
}

/** Completes an unfinished export; undefined if it is already finished. */
export async function finish(
  tx: Tx,
  id: string,
  end: {
    readonly status: "completed" | "failed" | "cancelled";
    readonly error?: string;
    readonly at: Date;
    readonly expiresAt: Date;
  },
): Promise<StoredExport | undefined> {
  const row = await tx
    .updateTable("exports")
    .set({
      status: end.status,
      error: end.error ?? null,
      finished_at: end.at,
      expires_at: end.expiresAt,
    })
    .set((old) => ({ revision: old("revision", "+", 1) }))
    .where("id", "=", id)
    .where("status", "in", ["queued", "running"])
    .returningAll()
    .executeTakeFirst();
  return row && toExport(row);
}

/** One page of an export, as a chunk of its file. */
export interface WrittenChunk {
  readonly bytes: Buffer;
  readonly rows: number;
  readonly position: readonly unknown[] | null;
  readonly form: FormatState;
  readonly total: number | null;
}

/**
 * Appends a chunk. Returns false and writes nothing if another process has written it, or the export was cancelled.
 */
export async function append(
  tx: Tx,
  { id, chunks }: Pick<StoredExport, "id" | "chunks">,
  chunk: WrittenChunk,
  now: Date,
): Promise<boolean> {
  const { bytes, rows, position, form, total } = chunk;
  const { rows: changed } = await sql<{ start: number }>`
    update exports
       set status = 'running', started_at = coalesce(started_at, ${now}), chunks = chunks + 1,
           rows = rows + ${rows}, bytes = bytes + ${bytes.length}, total = coalesce(total, ${total}),
           position = ${JSON.stringify(position)}::jsonb, form = ${JSON.stringify(form)}::jsonb
     where id = ${id} and status in ('queued', 'running') and chunks = ${chunks}
    returning bytes - ${bytes.length} as start`.execute(tx);
  const [at] = changed;
  if (!at) return false;
  await tx
    .insertInto("export_chunks")
    .values({ export_id: id, no: chunks, start: at.start, bytes })
    .execute();
  return true;
}

/** The chunk of the file that has this byte. */
export async function chunkAt(
  tx: Tx,
  exportId: string,
  byte: number,
): Promise<{ readonly start: number; readonly bytes: Buffer } | undefined> {
  return tx
    .selectFrom("export_chunks")
    .select(["start", "bytes"])
    .where("export_id", "=", exportId)
    .where("start", "<=", byte)
    .orderBy("no", "desc")
    .limit(1)
    .executeTakeFirst();
}

export async function remove(tx: Tx, id: string): Promise<StoredExport | undefined> {
  const row = await tx.deleteFrom("exports").where("id", "=", id).returningAll().executeTakeFirst();
  return row && toExport(row);
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("exports").selectAll().where("id", "=", id);
}

const HUNDRED = 100;

function toExport(row: Row): StoredExport {
  // Only validated data is stored.
  const content = row.content as Content;
  const { rows, total } = row;
  const isWhole = row.status === "completed";
  return {
    id: row.id,
    name: row.name,
    format: row.format as Export["format"],
    status: row.status as Export["status"],
    reportId: content.kind === "report" ? content.reportId : null,
    source: content.kind === "report" ? content.definition.source : content.source,
    progress: { rows, total, percent: isWhole ? HUNDRED : percentDone(rows, total) },
    bytes: row.bytes,
    error: row.error,
    requestedBy: row.created_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
    revision: row.revision,
    runAs: row.run_as,
    permissions: row.permissions,
    content,
    chunks: row.chunks,
    position: row.position as readonly unknown[] | null,
    form: row.form as FormatState | null,
  };
}

/** Rows may be added during the export, and it must not show 100 % before it is complete. */
function percentDone(rows: number, total: number | null): number | null {
  if (total === null) return null;
  return total === 0 ? 0 : Math.min(HUNDRED - 1, Math.floor((rows / total) * HUNDRED));
}
