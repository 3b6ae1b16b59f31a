/**
 * Runs an import in parts. Each part is one transaction that advances the import and enqueues the next. A failed part
 * is repeated from its start, so that no line is written twice.
 */
import Type from "typebox";
import { findRights } from "#domains/identity/accounts/index.ts";
import {
  deleteFile,
  insertFile,
  openPartitionFile,
  storeFile,
  type StoredContent,
} from "#domains/files/index.ts";
import { RecordsWrite } from "#domains/records/index.ts";
import { findOpenTable } from "#domains/tables/index.ts";
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { job } from "#kernel/work/job.ts";
import { RowAnalysis, type SourceAnalysis } from "./guess/analyze-rows.ts";
import {
  ACTIVE_STATES,
  ImportAnalyzed,
  ImportChecked,
  ImportCompleted,
  ImportFailed,
  ImportId,
  ImportProgressed,
  NO_COUNTS,
} from "./import.ts";
import { openSource } from "./source/open-source.ts";
import { SourceError, type SourceRow } from "./source/source-row.ts";
import { findImport, type ImportRow, listLines, toSummary, updateImport } from "./store.ts";
import { importBatch, reasonOf } from "./write/import-batch.ts";
import { guessMapping } from "./write/line-plan.ts";
import { readRowBatch, type RowBatch } from "./write/row-file.ts";
import { takeBackBatch } from "./write/take-back.ts";
import { type WorkContext, workEvents } from "./work-events.ts";

const ATTEMPTS_MAX = 5;
const CORRECTED_LINES_MAX = 2_000;

/** The part of the work that reads files and permissions. */
type Prepared =
  | {
      readonly kind: "analysis";
      readonly analysis: SourceAnalysis;
      readonly content: StoredContent;
    }
  | { readonly kind: "lines"; readonly batch: RowBatch; readonly caller: Caller }
  | { readonly kind: "taking back"; readonly caller: Caller }
  | { readonly kind: "failure"; readonly reason: string }
  | undefined;

export const importJob = job({
  kind: "imports.work",
  payload: Type.Object({
    workspace: Type.String(),
    environment: Type.Enum(["production", "staging", "development"]),
    importId: ImportId,
  }),
  emits: workEvents,
  attemptsMax: ATTEMPTS_MAX,
  timeoutMs: 900_000,
  concurrency: 2,
  async effect(platform, { importId, ...partition }, { number, signal }): Promise<Prepared> {
    const row = await platform.db.read(partition, (tx) => findImport(tx, importId));
    if (!row || !ACTIVE_STATES.includes(row.state)) return undefined;
    try {
      return await prepareWork(platform, partition, row);
    } catch (error) {
      if (error instanceof SourceError) return { kind: "failure", reason: error.message };
      if (error instanceof Failure) return { kind: "failure", reason: reasonOf(error) };
      if (number < ATTEMPTS_MAX || signal.aborted) throw error;
      platform.log.error({ err: error, importId }, "an import can't be read");
      return { kind: "failure", reason: "The file can't be read." };
    }
  },
  async run(ctx, payload, prepared) {
    if (!prepared) return;
    await ctx.send("select from imports where id = $1 for update", [payload.importId]);
    const row = await findImport(ctx.tx, payload.importId);
    if (!row || !ACTIVE_STATES.includes(row.state)) return;
    ctx.setActor(row.actor);
    const isGoingOn = await advance(ctx, row, prepared);
    if (isGoingOn) ctx.enqueue(importJob, payload, { key: row.id });
  },
});

async function prepareWork(
  platform: Platform,
  partition: Partition,
  row: ImportRow,
): Promise<Prepared> {
  if (row.state === "analyzing") return analyzeFile(platform, partition, row);
  const rights = await findRights(platform, partition.workspace, {
    runAs: row.run_as,
    permissions: row.permissions,
  });
  if (!rights) return { kind: "failure", reason: "The owner of the import is no longer a member." };
  if (!rights.permissions.has(RecordsWrite.name))
    return {
      kind: "failure",
      reason: "The owner of the import lacks permission to write records.",
    };
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 1 };
  const caller = { ...systemCaller(partition, cause), ...rights, actor: row.actor };
  if (row.state === "taking_back") return { kind: "taking back", caller };
  return { kind: "lines", batch: await readLines(platform, partition, row), caller };
}

async function analyzeFile(
  platform: Platform,
  partition: Partition,
  row: ImportRow,
): Promise<Prepared> {
  const { file, read } = await openPartitionFile(platform, partition, row.file_id);
  const source = await openSource({ size: file.size, read }, row.format_input);
  const pass = new RowAnalysis(source, row.format_input);
  const content = await storeFile(platform, partition, pass.lines(), { name: "rows.ndjson" });
  return { kind: "analysis", analysis: pass.result(), content };
}

/** The next lines of the file, and after its end the corrected lines. */
async function readLines(
  platform: Platform,
  partition: Partition,
  { id, rows_file_id, position }: ImportRow,
): Promise<RowBatch> {
  if (position !== null && rows_file_id !== null) {
    return readRowBatch(platform, partition, { fileId: rows_file_id, position });
  }
  const lines = await platform.db.read(partition, (tx) =>
    listLines(tx, id, { after: 0, limit: CORRECTED_LINES_MAX, corrected: true }),
  );
  return { rows: lines as unknown as readonly SourceRow[], next: null };
}

/** True if there is more work. */
async function advance(
  ctx: WorkContext,
  row: ImportRow,
  prepared: NonNullable<Prepared>,
): Promise<boolean> {
  try {
    switch (prepared.kind) {
      case "analysis":
        await finishAnalysis(ctx, row, prepared);
        return false;
      case "lines":
        return await advanceLines({ ...ctx, caller: prepared.caller }, row, prepared.batch);
      case "taking back":
        return await takeBackBatch({ ...ctx, caller: prepared.caller }, row);
      case "failure":
        await failImport(ctx, row, prepared.reason);
        return false;
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await failImport(ctx, row, reasonOf(error));
    return false;
  }
}

async function finishAnalysis(
  ctx: WorkContext,
  row: ImportRow,
  { analysis, content }: { readonly analysis: SourceAnalysis; readonly content: StoredContent },
): Promise<void> {
  if (row.rows_file_id !== null) await deleteFile(ctx, row.rows_file_id);
  const file = await insertFile(ctx, content, {
    attachedTo: { type: "import", id: row.id, internal: true },
  });
  const { format, lines, columns } = analysis;
  const caller = { ...ctx.caller, actor: row.actor };
  const table =
    row.table_slug === null || row.new_table
      ? undefined
      : await findOpenTable({ ...ctx, caller }, row.table_slug);
  const after = await updateImport(ctx, row.id, {
    state: "ready",
    rows_file_id: file.id,
    format,
    lines,
    columns,
    mapping: guessMapping(columns, table?.schema),
    check_counts: null,
    reason: null,
  });
  ctx.emit(ImportAnalyzed, importRef(after), toSummary(after));
}

async function advanceLines(
  ctx: WorkContext,
  row: ImportRow,
  { rows, next }: RowBatch,
): Promise<boolean> {
  const isCheck = row.state === "checking";
  const counts = await importBatch(ctx, row, rows, { isCheck });
  if (next !== null) {
    const after = await updateImport(ctx, row.id, { counts, position: next });
    ctx.emit(ImportProgressed, importRef(after), toSummary(after));
    return true;
  }
  if (isCheck) {
    const after = await updateImport(ctx, row.id, {
      state: "ready",
      counts: NO_COUNTS,
      check_counts: counts,
      position: 0,
    });
    ctx.emit(ImportChecked, importRef(after), { ...toSummary(after), counts });
    return false;
  }
  const after = await updateImport(ctx, row.id, { state: "completed", counts, position: null });
  ctx.emit(ImportCompleted, importRef(after), toSummary(after));
  return false;
}

async function failImport(ctx: WorkContext, row: ImportRow, reason: string): Promise<void> {
  const after = await updateImport(ctx, row.id, { state: "failed", reason });
  ctx.emit(ImportFailed, importRef(after), toSummary(after));
}

/** The resource reference of an import in its events. */
export function importRef({ id, name }: Pick<ImportRow, "id" | "name">) {
  return { id, displayName: name };
}
