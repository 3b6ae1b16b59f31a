/** Writes exports page by page, each in its own transaction together with the progress. */
import Type from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { Failure, Internal } from "#kernel/operation/failure.ts";
import { job } from "#kernel/work/job.ts";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { callerRunningAs } from "../run-as.ts";
import { ReportTimedOut } from "../reports/report.ts";
import { reportClock } from "../reports/definition/period.ts";
import {
  countRows,
  type RowListing,
  rowListing,
  readRowsAfter,
} from "../reports/sql/report-rows.ts";
import { runSavedReport, mapBrokenReport, withSource } from "../reports/run-report.ts";
import type { FileFormat, FormatState } from "./file/file-format.ts";
import { FILE_FORMATS } from "./file/formats.ts";
import {
  type Content,
  ExportCompleted,
  ExportFailed,
  expiresAt,
  exportRef,
  type StoredExport,
  toExportData,
} from "./export.ts";
import * as store from "./store.ts";

/** The time per run, after which other exports get their turn. */
const TURN_MS = 10_000;
const ATTEMPTS_MAX = 10;
/** The page sizes with prepared statements; the largest that fits into a chunk is used. */
const PAGES = [10, 100, 500, 2_000] as const;
/** The size limit of an uncompressed chunk, which is held in memory several times. */
const CHUNK_BYTES = 500_000;
const ERROR_CHARACTERS_MAX = 500;

/**
 * One run of one export. A process that crashes leaves its committed chunks, and the next run, here or on another
 * node, continues after them.
 */
export const writeExport = job({
  kind: "analytics.export",
  payload: Type.Object({
    workspace: Type.String(),
    environment: Type.Enum(["production", "staging", "development"]),
    exportId: Type.String(),
  }),
  attemptsMax: ATTEMPTS_MAX,
  // The time for the count, a run and its last page, which may take as long as the statement timeout.
  timeoutMs: 90_000,
  concurrency: 2,
  async effect(platform, { exportId, ...partition }, { number, signal }) {
    try {
      return await runTurn(platform, partition, exportId, signal);
    } catch (error) {
      // A failure that the user must fix is final; an internal error is retried first.
      const isTheirs = error instanceof Failure && error.type.status < Internal.status;
      if (!isTheirs && number < ATTEMPTS_MAX) throw error;
      const words = isTheirs ? error.message : Internal.title;
      await failExport(platform, partition, exportId, words.slice(0, ERROR_CHARACTERS_MAX));
      if (!isTheirs) throw error;
      return "over";
    }
  },
  async run(ctx, payload, state) {
    // With the same key, it is queued behind other exports.
    if (state === "more") ctx.enqueue(writeExport, payload, { key: payload.exportId });
  },
});

async function runTurn(
  platform: Platform,
  partition: Partition,
  id: string,
  signal: AbortSignal,
): Promise<"more" | "over"> {
  const stored = await openExport({ platform, partition }, id);
  if (!stored) return "over";
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 1 };
  const caller = await callerRunningAs(platform, stored, { partition, cause });
  const exportTurn = { platform, caller, partition, signal };
  const { content } = stored;
  if (content.kind === "report") return writeReport(exportTurn, stored, content);
  const fields = content.columns.map(({ name }) => name);
  const clock = await reportClock(exportTurn, undefined);
  return mapBrokenReport(() =>
    withSource(exportTurn, content.source, async (source, parameters) => {
      const listing = rowListing(
        source,
        { filter: content.filter, fields },
        // Relative times refer to the time of the request, regardless of the duration.
        { parameters, clock: { ...clock, now: new Date(stored.createdAt) } },
      );
      // Read again: after a source change the export is reopened, and pages may have been written.
      const now = await openExport(exportTurn, id);
      return now ? writeRows(exportTurn, now, listing) : "over";
    }),
  );
}

/** An unfinished export; undefined if it is finished or deleted. */
async function openExport(
  { platform, partition }: Pick<ExportTurn, "platform" | "partition">,
  id: string,
): Promise<StoredExport | undefined> {
  const stored = await platform.db.read(partition, (tx) => store.find(tx, id));
  return stored?.status === "queued" || stored?.status === "running" ? stored : undefined;
}

interface ExportTurn extends ReportRequest {
  readonly partition: Partition;
  readonly signal: AbortSignal;
}

/** A report has few rows: they are one chunk. */
async function writeReport(
  exportTurn: ExportTurn,
  stored: StoredExport,
  { definition }: Extract<Content, { kind: "report" }>,
): Promise<"over"> {
  const form = FILE_FORMATS[stored.format];
  const { columns, rows } = await runSavedReport(exportTurn, definition);
  const described = columns.map(({ name, title, type }) => ({ name, title, kind: type }));
  const begun = await form.begin(described);
  const added = await form.add(begun.state, described, rows);
  const ended = await form.end(added.state);
  const bytes = Buffer.concat([begun.bytes, added.bytes, ended.bytes]);
  const whole = { bytes, rows: rows.length, position: null, form: ended.state, total: rows.length };
  await commit(exportTurn, stored, whole, true);
  return "over";
}

async function writeRows(
  exportTurn: ExportTurn,
  stored: StoredExport,
  listing: RowListing,
): Promise<"more" | "over"> {
  const form = FILE_FORMATS[stored.format];
  const total = stored.chunks === 0 ? await countTotal(exportTurn, listing) : null;
  // The time starts here: otherwise a run that only has time for the count would repeat forever.
  const until = performance.now() + TURN_MS;
  let at = positionOf(stored);
  let step = 0;
  while (performance.now() < until) {
    if (exportTurn.signal.aborted || exportTurn.platform.shutdown.aborted) return "more";
    const size = PAGES[step] ?? PAGES[0];
    const page = await readRowsAfter(exportTurn, listing, at.position ?? undefined, size);
    const isLast = page.length < size;
    const rows = page.map(({ row }) => row);
    const { bytes, state } = await formatPage(form, at.form, listing, { rows, isLast });
    const position = page.at(-1)?.place ?? at.position;
    const chunk = { bytes, rows: rows.length, position, form: state, total };
    const isOurs = await commit(exportTurn, { ...stored, chunks: at.chunks }, chunk, isLast);
    if (isLast || !isOurs) return "over";
    const each = (state.plainBytes - (at.form?.plainBytes ?? 0)) / rows.length;
    at = { position, form: state, chunks: at.chunks + 1 };
    const fitting = PAGES.findLastIndex((most) => most * each <= CHUNK_BYTES);
    // Increases by one step, because the next rows may be larger.
    step = Math.max(0, Math.min(fitting, step + 1));
  }
  return "more";
}

function positionOf({ position, form, chunks }: StoredExport) {
  return { position, form, chunks };
}

async function formatPage(
  form: FileFormat,
  before: FormatState | null,
  { fields }: RowListing,
  { rows, isLast }: { readonly rows: readonly Record<string, unknown>[]; readonly isLast: boolean },
) {
  const begun = before === null ? await form.begin(fields) : undefined;
  let state = begun?.state ?? before;
  if (!state) throw new Error("A file goes on from somewhere.");
  const bytes = begun ? [begun.bytes] : [];
  if (rows.length > 0) {
    const added = await form.add(state, fields, rows);
    bytes.push(added.bytes);
    state = added.state;
  }
  if (isLast) {
    const ended = await form.end(state);
    bytes.push(ended.bytes);
    state = ended.state;
  }
  return { bytes: Buffer.concat(bytes), state };
}

/** Counting may exceed its time limit; then there is no percentage. */
async function countTotal(exportTurn: ExportTurn, listing: RowListing): Promise<number | null> {
  try {
    return await countRows(exportTurn, listing);
  } catch (error) {
    if (error instanceof Failure && error.type === ReportTimedOut) return null;
    throw error;
  }
}

/** Commits a chunk, and with the last one the completion of the export. */
function commit(
  { platform, caller, partition }: ExportTurn,
  stored: StoredExport,
  chunk: store.WrittenChunk,
  isLast: boolean,
): Promise<boolean> {
  return runAsSystem(platform, partition, caller.cause, async (ctx) => {
    if (!(await store.append(ctx.tx, stored, chunk, ctx.now))) return false;
    if (!isLast) return true;
    const end = { status: "completed", at: ctx.now, expiresAt: expiresAt(ctx.now) } as const;
    const ended = await store.finish(ctx.tx, stored.id, end);
    if (ended) ctx.emit(ExportCompleted, exportRef(ended), toExportData(ended));
    return true;
  });
}

async function failExport(
  platform: Platform,
  partition: Partition,
  id: string,
  error: string,
): Promise<void> {
  const cause = { correlationId: newCorrelationId(platform.clock), depth: 1 };
  await runAsSystem(platform, partition, cause, async (ctx) => {
    const end = { status: "failed", error, at: ctx.now, expiresAt: expiresAt(ctx.now) } as const;
    const ended = await store.finish(ctx.tx, id, end);
    if (ended) ctx.emit(ExportFailed, exportRef(ended), toExportData(ended));
  });
}
