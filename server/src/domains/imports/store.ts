/** The rows of imports. */
import type { Caller } from "#kernel/access/caller.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Actor } from "#kernel/log/event.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { isUnrestricted } from "#domains/tables/index.ts";
import type { SourceColumn } from "./guess/source-column.ts";
import {
  type ColumnMapping,
  type Import,
  type ImportCounts,
  type ImportLine,
  type ImportState,
  type ImportSummary,
  type NewTable,
} from "./import.ts";
import type { FormatInput, SourceFormat } from "./source/open-source.ts";

export interface ImportRow {
  readonly id: string;
  readonly name: string;
  readonly state: ImportState;
  readonly file_id: string;
  readonly rows_file_id: string | null;
  readonly format_input: FormatInput;
  readonly format: SourceFormat | null;
  readonly lines: number | null;
  readonly columns: readonly SourceColumn[];
  readonly table_slug: string | null;
  readonly new_table: NewTable | null;
  readonly mapping: readonly ColumnMapping[];
  readonly key_field: string | null;
  readonly made_table: boolean;
  readonly position: number | null;
  readonly counts: ImportCounts;
  readonly check_counts: ImportCounts | null;
  readonly reason: string | null;
  readonly run_as: string;
  readonly permissions: readonly string[] | null;
  readonly actor: Actor;
  readonly created_by: string;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly corrections: number;
}

const SELECT = `
  select i.*, i.position::float8 as position,
         (select count(*)::int from import_lines l where l.import_id = i.id and l.corrected) as corrections
    from imports i`;

const JSON_COLUMNS: ReadonlySet<string> = new Set([
  "format_input",
  "format",
  "columns",
  "new_table",
  "mapping",
  "counts",
  "check_counts",
  "actor",
]);

type Changes = Partial<
  Omit<ImportRow, "id" | "revision" | "created_at" | "updated_at" | "corrections">
>;

export async function findImport(tx: Tx, importId: string): Promise<ImportRow | undefined> {
  const [row] = await queryRows(tx, `${SELECT} where i.id = $1`, [importId]);
  return row as ImportRow | undefined;
}

/** An import of the caller; owners and admins can access all. Otherwise 404. */
export async function getImport(
  { tx, caller }: Pick<ReadContext, "tx" | "caller">,
  importId: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<ImportRow> {
  if (lock) await queryRows(tx, "select from imports where id = $1 for update", [importId]);
  const row = await findImport(tx, importId);
  if (!row || !maySee(caller, row.created_by)) throw new Failure(NotFound);
  return row;
}

export function maySee(
  { principal, actor }: Pick<Caller, "principal" | "actor">,
  createdBy: string,
): boolean {
  return (
    createdBy === authorOf({ actor, ...(principal && { principal }) }) ||
    (principal !== undefined && isUnrestricted(principal))
  );
}

/** Newest first, before an id. */
export async function listImports(
  { tx, caller }: Pick<ReadContext, "tx" | "caller">,
  {
    before,
    limit,
    table,
  }: { readonly before: string; readonly limit: number; readonly table?: string | undefined },
): Promise<readonly ImportRow[]> {
  const seesAll = caller.principal !== undefined && isUnrestricted(caller.principal);
  const text = `${SELECT} where i.id < $1 and ($2 or i.created_by = $3) and ($5::text is null or i.table_slug = $5)
    order by i.id desc limit $4`;
  return queryRows<ImportRow>(tx, text, [before, seesAll, authorOf(caller), limit, table ?? null]);
}

export async function countImports(tx: Tx): Promise<number> {
  const [row] = await queryRows(tx, "select count(*)::int as count from imports", []);
  return Number(row?.["count"]);
}

export async function insertImport(
  { send, now }: Pick<WriteContext, "send" | "now">,
  row: Changes & { readonly id: string },
): Promise<void> {
  const entries = Object.entries(row);
  const names = entries.map(([name]) => name);
  const places = entries.map(([name], index) => toPlace(name, index + 2));
  await send(
    `insert into imports (created_at, updated_at, ${names.join(", ")}) values ($1, $1, ${places.join(", ")})`,
    [now, ...entries.map(toParameter)],
  );
}

/** Changes an import and returns the new row. */
export async function updateImport(
  ctx: Pick<WriteContext, "send" | "now" | "tx">,
  importId: string,
  changes: Changes,
): Promise<ImportRow> {
  const entries = Object.entries(changes);
  const sets = entries.map(([name], index) => `, ${name} = ${toPlace(name, index + 3)}`);
  await ctx.send(
    `update imports set revision = revision + 1, updated_at = $2${sets.join("")} where id = $1`,
    [importId, ctx.now, ...entries.map(toParameter)],
  );
  const row = await findImport(ctx.tx, importId);
  if (!row) throw new Failure(NotFound);
  return row;
}

function toPlace(name: string, number: number): string {
  return JSON_COLUMNS.has(name) ? `$${number}::jsonb` : `$${number}`;
}

function toParameter([name, value]: [string, unknown]): unknown {
  return JSON_COLUMNS.has(name) && value !== null ? JSON.stringify(value) : value;
}

/** Invalid or corrected lines in order, after a line. */
export async function listLines(
  tx: Tx,
  importId: string,
  {
    after,
    limit,
    corrected,
  }: { readonly after: number; readonly limit: number; readonly corrected?: boolean | undefined },
): Promise<readonly ImportLine[]> {
  const text = `select line, cells, errors, corrected from import_lines
    where import_id = $1 and line > $2 and ($4::boolean is null or corrected = $4) order by line limit $3`;
  return queryRows<ImportLine>(tx, text, [importId, after, limit, corrected ?? null]);
}

export function toSummary(row: ImportRow): ImportSummary {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    table: row.table_slug,
    lines: row.lines,
    counts: row.counts,
    reason: row.reason,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toImport(row: ImportRow): Import & { readonly revision: number } {
  return {
    ...toSummary(row),
    fileId: row.file_id,
    format: row.format,
    columns: [...row.columns],
    newTable: row.new_table,
    mapping: [...row.mapping],
    key: row.key_field,
    check: row.check_counts,
    corrections: row.corrections,
    revision: row.revision,
  };
}
