/** One batch of lines: written, or written and rolled back for a preview. */
import {
  changesBetween,
  type InvalidLine,
  type RecordCreated,
  type RecordUpdated,
  rollBackAfter,
  writeLines,
  type WrittenLines,
} from "#domains/records/index.ts";
import { openTable, parseFields, type OpenTable } from "#domains/tables/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import { mapInTurns, TurnTimer } from "#kernel/work/turn-timer.ts";
import type { ImportCounts } from "../import.ts";
import type { SourceRow } from "../source/source-row.ts";
import type { ImportRow } from "../store.ts";
import { matchRecords, planLines, planTable, toInput } from "./line-plan.ts";

type BatchContext = WriteContext<typeof RecordCreated | typeof RecordUpdated>;

/** The maximum number of invalid lines kept for correction. Further ones are only counted. */
const KEPT_LINES_MAX = 5_000;
export const KEPT_CHARACTERS_MAX = 65_536;

/** Writes a batch, or rolls it back for its result. Returns the counts. */
export async function importBatch(
  ctx: BatchContext,
  row: ImportRow,
  rows: readonly SourceRow[],
  { isCheck }: { readonly isCheck: boolean },
): Promise<ImportCounts> {
  const corrected = await applyCorrections(ctx, row.id, rows);
  const written =
    isCheck && row.new_table
      ? await checkLines(ctx, row, corrected)
      : await writeRows(ctx, row, corrected, isCheck);
  await keepInvalid(ctx, row, corrected, written.invalid);
  if (!isCheck) await forgetCorrected(ctx, row.id, corrected, written.invalid);
  const { counts } = row;
  return {
    ...counts,
    read: counts.read + rows.length,
    created: counts.created + written.created.length,
    updated: counts.updated + written.updated.length,
    unchanged: counts.unchanged + written.unchanged,
    invalid: counts.invalid + written.invalid.length,
  };
}

/** Replaces the cells of the file by corrected ones. */
async function applyCorrections(
  { tx }: BatchContext,
  importId: string,
  rows: readonly SourceRow[],
): Promise<readonly SourceRow[]> {
  const found = await queryRows(
    tx,
    "select line, cells from import_lines where import_id = $1 and corrected and line = any($2::int[])",
    [importId, rows.map(({ line }) => line)],
  );
  if (found.length === 0) return rows;
  const byLine = new Map(found.map(({ line, cells }) => [line, cells as SourceRow["cells"]]));
  return rows.map((row) => ({ line: row.line, cells: byLine.get(row.line) ?? row.cells }));
}

async function writeRows(
  ctx: BatchContext,
  row: ImportRow,
  rows: readonly SourceRow[],
  isCheck: boolean,
): Promise<WrittenLines> {
  const table = await openTable(ctx, row.table_slug ?? "");
  const plan = planLines(table.schema, row);
  const matches = await matchRecords(ctx, table, plan, rows);
  const lines = await mapInTurns(rows, (each) => [
    { line: each.line, input: toInput(plan, each, matches) },
  ]);
  const write = (): Promise<WrittenLines> =>
    writeLines(ctx, table, lines, row.key_field ?? undefined);
  if (isCheck) return rollBackAfter(ctx, write);
  const written = await write();
  await keepChanges(ctx, table, row.id, written);
  return written;
}

/** Validates lines for a table that does not exist yet. */
async function checkLines(
  ctx: BatchContext,
  row: ImportRow,
  rows: readonly SourceRow[],
): Promise<WrittenLines> {
  const schema = planTable(row, partitionOfCaller(ctx.caller));
  const plan = planLines(schema, row);
  const written: WrittenLines = { created: [], updated: [], unchanged: 0, invalid: [] };
  const turn = new TurnTimer();
  for (const each of rows) {
    if (turn.isOver()) await turn.next();
    const principal = ctx.caller.principal;
    const parsed = parseFields(schema, toInput(plan, each, new Map()), {
      for: "create",
      now: ctx.now,
      principal,
    });
    if ("errors" in parsed) written.invalid.push({ line: each.line, errors: parsed.errors });
    // Only the number is used, because no records were created.
    else written.created.push({ id: "", createdAt: "", updatedAt: "", createdBy: "" });
  }
  return written;
}

const KEEP_CHANGES = `
  insert into import_changes (import_id, record_id, revision, before)
  select $1, c.id, c.revision, c.before from unnest($2::text[], $3::int[], $4::jsonb[]) as c (id, revision, before)
  on conflict (import_id, record_id) do update
     set revision = excluded.revision, before = excluded.before || import_changes.before`;

/** Records created and changed records for the undo. */
async function keepChanges(
  ctx: BatchContext,
  table: OpenTable,
  importId: string,
  { created, updated }: WrittenLines,
): Promise<void> {
  const ids = [...created.map(({ id }) => id), ...updated.map(({ after }) => after.id)];
  if (ids.length === 0) return;
  const changed = updated.map(({ after }) => after.id);
  const rows =
    changed.length === 0
      ? []
      : await queryRows(
          ctx.tx,
          `select id, revision from ${table.schema.view} where id = any($1::text[])`,
          [changed],
        );
  const revisions = new Map(rows.map(({ id, revision }) => [id, revision]));
  const before = updated.map((change) =>
    JSON.stringify(
      Object.fromEntries(
        changesBetween(change.before, change.after).map((field) => [
          field,
          change.before[field] ?? null,
        ]),
      ),
    ),
  );
  await ctx.send(KEEP_CHANGES, [
    importId,
    ids,
    ids.map((id) => revisions.get(id) ?? 1),
    [...created.map(() => null), ...before],
  ]);
}

/** Stores invalid lines with their errors, up to a limit. */
async function keepInvalid(
  ctx: BatchContext,
  { id, counts }: ImportRow,
  rows: readonly SourceRow[],
  invalid: readonly InvalidLine[],
): Promise<void> {
  const left = KEPT_LINES_MAX - counts.invalid;
  if (invalid.length === 0 || left <= 0) return;
  const cellsOf = new Map(rows.map(({ line, cells }) => [line, cells]));
  const kept = invalid
    .slice(0, left)
    .map(({ line, errors }) => ({ line, errors, cells: JSON.stringify(cellsOf.get(line) ?? []) }))
    .filter(({ cells }) => cells.length <= KEPT_CHARACTERS_MAX);
  await ctx.send(
    `insert into import_lines (import_id, line, cells, errors)
     select $1, l.line, l.cells, l.errors from unnest($2::int[], $3::jsonb[], $4::jsonb[]) as l (line, cells, errors)
     on conflict (import_id, line) do update set cells = excluded.cells, errors = excluded.errors, corrected = false`,
    [
      id,
      kept.map(({ line }) => line),
      kept.map(({ cells }) => cells),
      kept.map(({ errors }) => JSON.stringify(errors)),
    ],
  );
}

async function forgetCorrected(
  ctx: BatchContext,
  importId: string,
  rows: readonly SourceRow[],
  invalid: readonly InvalidLine[],
): Promise<void> {
  const failed = new Set(invalid.map(({ line }) => line));
  const lines = rows.filter(({ line }) => !failed.has(line)).map(({ line }) => line);
  await ctx.send("delete from import_lines where import_id = $1 and line = any($2::int[])", [
    importId,
    lines,
  ]);
}

/** The message for the owner about a failure that ended an import. */
export function reasonOf(error: Failure): string {
  const [first]: readonly FieldError[] = error.particulars.errors ?? [];
  return first ? `${first.path} ${first.message}` : (error.particulars.detail ?? error.message);
}
