/**
 * Computes the vectors of records. A reader marks changed records in log order; jobs embed them outside of any
 * transaction, and store the vectors with the digest of their source. So a write never waits for the model, and
 * vectors of outdated texts are ignored.
 */
import Type from "typebox";
import {
  type ColumnFollower,
  findTableById,
  resolveTable,
  sourcesOf,
  type Table,
} from "#domains/tables/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { splitChunks } from "#kernel/embedding/chunk.ts";
import { encodeVector } from "#kernel/embedding/vector.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { job } from "#kernel/work/job.ts";
import { copyVectors, copyVectorsJob } from "./vector-copies.ts";
import {
  markPending,
  markTable,
  type PendingVector,
  readPending,
  renameVectors,
  saveVectors,
  type WorkedOutVector,
} from "./vector-store.ts";
import { toUnitVector } from "./unit-vector.ts";

/** The limits of one run; later runs do the rest. */
const RECORDS_MAX = 50;
const CHUNKS_MAX = 200;
/** Runs are short; after a crash, the next run starts when this timeout has passed. */
const TIMEOUT_MS = 60_000;
const RETRY_DELAY_MAX_MS = 300_000;

const TablePayload = Type.Object({
  tableId: Type.String(),
  workspace: Type.String(),
  environment: Type.Unsafe<EnvironmentName>(Type.String()),
});

interface Turn {
  readonly vectors: readonly WorkedOutVector[];
  readonly hasMore: boolean;
}

export const embedRecords = job({
  kind: "records.embed",
  payload: TablePayload,
  timeoutMs: TIMEOUT_MS,
  concurrency: 2,
  // If the job gave up, some records would never be found.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  async effect(platform, { tableId, ...partition }, { signal }): Promise<Turn> {
    const pending = await platform.db.read(partition, (tx) =>
      readPending(tx, { tableId, partition }, RECORDS_MAX),
    );
    const vectors: WorkedOutVector[] = [];
    let chunks = 0;
    for (const mark of pending) {
      if (chunks >= CHUNKS_MAX) break;
      signal.throwIfAborted();
      // A server that shuts down does not wait for long texts; the next run embeds them.
      platform.shutdown.throwIfAborted();
      const made = await workOut(platform, partition, mark);
      chunks += made.chunks;
      vectors.push(made.vector);
    }
    return { vectors, hasMore: pending.length === RECORDS_MAX || vectors.length < pending.length };
  },
  async run(ctx, table, { vectors, hasMore }: Turn) {
    await saveVectors(ctx.tx, table.tableId, vectors);
    const hasUncopied = await copyVectors(ctx.tx, table.tableId);
    if (hasUncopied) ctx.enqueue(copyVectorsJob, table, { key: table.tableId });
    if (hasMore) ctx.enqueue(embedRecords, table, { key: table.tableId });
  },
});

async function workOut(
  { embeddings }: Pick<Platform, "embeddings">,
  { workspace }: Partition,
  { source, ...mark }: PendingVector,
): Promise<{ readonly vector: WorkedOutVector; readonly chunks: number }> {
  if (!source) return { vector: mark, chunks: 0 };
  const { digest, text, numbers } = source;
  // A former JSON column may contain vectors without a direction; they match nothing.
  const own = numbers && toUnitVector(numbers);
  const made: Float32Array[] = own ? [own] : [];
  for (const chunk of text === undefined ? [] : splitChunks(text)) {
    made.push(await embeddings.embed(`records ${workspace}`, chunk));
  }
  const vectors = Buffer.concat(made.map(encodeVector));
  return { vector: { ...mark, digest, vectors }, chunks: made.length };
}

/** Marks all records of a changed table, in batches. */
export const markVectors = job({
  kind: "records.mark_vectors",
  payload: TablePayload,
  timeoutMs: TIMEOUT_MS,
  async run(ctx, payload) {
    const { tableId, ...partition } = payload;
    const table = await findTableById(ctx.tx, tableId);
    if (!table) return;
    const hasMore = await markTable(ctx.tx, resolveTable(table, partition));
    ctx.enqueue(embedRecords, payload, { key: tableId });
    if (hasMore) ctx.enqueue(markVectors, payload, { key: tableId });
  },
});

const HAS_VECTORS = `columns @? '$[*] ? (@.type == "vector" || @.type == "embedding")'`;
const PARTITIONS = `
  select t.workspace_id || ' ' || t.environment as key from user_tables t
   where t.workspace_id = any($1::uuid[]) and ${HAS_VECTORS}`;
const TABLES = `
  select id, slug, columns, revision from user_tables where ${HAS_VECTORS}`;

type VectorTable = Pick<Table, "id" | "slug" | "columns" | "revision">;

/**
 * Marks records with changed sources. Most workspaces have no vector columns, so the tables are found with one
 * query.
 */
export const vectorReader = reader({
  name: "records.vectors",
  on: [
    "record.created",
    "record.updated",
    "record.restored",
    "record.deleted",
    "table.created",
    "table.updated",
  ],
  startsAt: "end",
  async selectParts({ services }, parts) {
    const keys = [...new Set(parts.map(({ partition }) => partition.workspace))];
    const rows = await services.db.system<{ key: string }>(PARTITIONS, [keys]);
    const concerned = new Set(rows.map(({ key }) => key));
    // The table may have had a vector column before this change.
    return ({ partition, counts }) =>
      concerned.has(`${partition.workspace} ${partition.environment}`) ||
      counts.some(({ type }) => type === "table.updated");
  },
  async handleSummary(ctx, counts) {
    const tables = await listVectorTables(ctx.tx);
    const isOfTables = counts.some(({ type }) => type.startsWith("table."));
    if (tables.size === 0 && !isOfTables) return;
    const events = await ctx.events(counts.map(({ type }) => type));
    const marks = new Map<string, { tableId: string; column: string; recordId: string }>();
    const changed = new Map<string, RecordedEvent>();
    for (const event of events) {
      if (event.type.startsWith("table.")) {
        const { workspace, environment, resource } = event;
        if (!tables.has(resource.id) && !(await hasVectors(ctx.tx, resource.id))) continue;
        const payload = { tableId: resource.id, workspace, environment };
        ctx.because(event).enqueue(markVectors, payload, { key: resource.id });
        continue;
      }
      const table = tables.get(String(event.data["tableId"]));
      if (!table) continue;
      for (const column of changedColumns(table, event)) {
        const mark = { tableId: table.id, column, recordId: event.resource.id };
        marks.set(Object.values(mark).join(" "), mark);
        changed.set(table.id, event);
      }
    }
    if (marks.size > 0) await markPending(ctx.tx, [...marks.values()]);
    for (const [tableId, event] of changed) {
      const { workspace, environment } = event;
      const payload = { tableId, workspace, environment };
      ctx.because(event).enqueue(embedRecords, payload, { key: tableId });
    }
  },
});

async function listVectorTables(tx: Tx): Promise<ReadonlyMap<string, VectorTable>> {
  // Only definitions that were checked are ever stored.
  const rows = await queryRows<VectorTable>(tx, TABLES, []);
  return new Map(rows.map((table) => [table.id, table]));
}

async function hasVectors(tx: Tx, tableId: string): Promise<boolean> {
  const text = "select from record_vectors where table_id = $1 limit 1";
  return (await queryRows(tx, text, [tableId])).length > 0;
}

/** The columns whose vectors an event concerns. */
function changedColumns(table: VectorTable, { type, data }: RecordedEvent): readonly string[] {
  const all = table.columns.filter(
    (column) => column.type === "vector" || column.type === "embedding",
  );
  // Columns may have other names since.
  const isKnown = type === "record.updated" && data["tableRevision"] === table.revision;
  if (!isKnown) return all.map(({ name }) => name);
  const changes = new Set(data["changes"] as readonly string[]);
  return all
    .filter((column) =>
      column.type === "vector"
        ? changes.has(column.name)
        : sourcesOf(column).some((source) => changes.has(source)),
    )
    .map(({ name }) => name);
}

/** A renamed column keeps its vectors. */
export const vectorFollower: ColumnFollower = { rename: renameVectors };
