/** Maps the cells of a line to the fields of a record. */
import {
  type ColumnSchema,
  cutTitle,
  distinctTitles,
  type NewColumn,
  type OpenTable,
  parseColumns,
  resolveTable,
  TITLE_CHARACTERS_MAX,
  type TableSchema,
} from "#domains/tables/index.ts";
import { findMembersByEmail } from "#domains/identity/accounts/index.ts";
import { fieldsOfHeader, type RecordInput } from "#domains/records/index.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { type CellStyle, convertCell } from "../guess/convert-cell.ts";
import type { SourceColumn } from "../guess/source-column.ts";
import type { ColumnMapping } from "../import.ts";
import type { SourceRow } from "../source/source-row.ts";
import type { ImportRow } from "../store.ts";

interface MappedCell {
  readonly index: number;
  readonly column: ColumnSchema;
  readonly style: CellStyle;
  readonly match: string | undefined;
}

export type LinePlan = readonly MappedCell[];

/** The default mapping: each column of the file to the column of the same name. */
export function guessMapping(
  columns: readonly SourceColumn[],
  schema?: TableSchema,
): ColumnMapping[] {
  const found = schema ? matchHeaders(columns, schema) : [];
  const titles = titlesOfHeaders(columns);
  return columns.flatMap<ColumnMapping>(
    ({ field, type, options, dateOrder, decimalMark, isAmbiguous }, column) => {
      // The user decides an ambiguous date order.
      const style = {
        ...(dateOrder && !isAmbiguous && { dateOrder }),
        ...(decimalMark && { decimalMark }),
      };
      if (!schema) {
        const title = titles[column];
        return [{ column, field, ...(title && { title }), type, options, ...style }];
      }
      const name = found[column];
      return name === undefined ? [] : [{ column, field: name, ...style }];
    },
  );
}

type Target = Pick<ColumnSchema, "name" | "title">;
interface Source extends SourceColumn {
  /** The field of the header if the file is an export. */
  readonly exported: string | undefined;
}

/** The rules for matching a header with a column, the most reliable first. */
const HEADER_MATCHES: readonly ((source: Source, target: Target) => boolean)[] = [
  ({ exported }, { name }) => exported === name,
  ({ header }, { title }) => toMatchText(header) === toMatchText(title),
  ({ header }, { name }) => toMatchText(header) === name.toLowerCase(),
  ({ field }, { name }) => field.toLowerCase() === name.toLowerCase(),
];

/** The column filled by each column of the file: by title, otherwise by name. */
function matchHeaders(columns: readonly SourceColumn[], schema: TableSchema) {
  const free = new Set<Target>(schema.columns.filter(({ columnType }) => !columnType.generated));
  const exported = fieldsOfHeader(
    schema,
    columns.map(({ header }) => header),
  );
  const sources = columns.map((column, index) => ({ ...column, exported: exported[index] }));
  const found: (string | undefined)[] = columns.map(() => undefined);
  for (const isMatch of HEADER_MATCHES) {
    for (const [index, source] of sources.entries()) {
      if (found[index] !== undefined || source.header.trim() === "") continue;
      const target = [...free].find((each) => isMatch(source, each));
      if (!target) continue;
      free.delete(target);
      found[index] = target.name;
    }
  }
  return found;
}

/** Unique titles of new columns, to distinguish equal headers. */
function titlesOfHeaders(columns: readonly SourceColumn[]): readonly (string | undefined)[] {
  return distinctTitles(columns.map(({ header }) => header)).map(titleOfHeader);
}

/** The title of a new column: the unchanged header unless it is too long. */
function titleOfHeader(header: string): string | undefined {
  return header.trim() === "" ? undefined : cutTitle(header);
}

/** Plans the lines of an import. Throws a 422 if the mapping does not fit the table. */
export function planLines(
  schema: Pick<TableSchema, "byName" | "computed">,
  { mapping, columns }: Pick<ImportRow, "mapping" | "columns">,
): LinePlan {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  const plan = mapping.flatMap(
    ({ column: index, field, dateOrder, decimalMark, match }, at): MappedCell[] => {
      const reject = (path: string, message: string): [] => {
        errors.push({ path: `/mapping/${at}${path}`, message });
        return [];
      };
      const source = columns[index];
      if (!source) return reject("/column", "is not a column of the file");
      if (taken.has(field)) return reject("/field", "appears twice in the mapping");
      taken.add(field);
      const column = schema.byName.get(field);
      if (!column)
        return reject(
          "/field",
          schema.computed.has(field) ? "is computed" : "is not a field of this table",
        );
      if (column.columnType.generated) return reject("/field", "is set by the platform");
      if (match !== undefined && column.target === undefined)
        return reject("/match", "is only allowed for references");
      const isDay = column.type === "date" || column.type === "timestamp";
      if (isDay && dateOrder === undefined && source.isAmbiguous) {
        const [example = "03/04/2026"] = source.ambiguousExamples ?? [];
        return reject("/dateOrder", `is required, because "${example}" is ambiguous`);
      }
      const style = {
        dateOrder: dateOrder ?? source.dateOrder ?? "dmy",
        decimalMark: decimalMark ?? source.decimalMark ?? "point",
      } as const;
      return [{ index, column, style, match }];
    },
  );
  if (errors.length === 0 && plan.length === 0)
    errors.push({ path: "/mapping", message: "must contain at least one field" });
  if (errors.length > 0) throw new Failure(Invalid, { errors });
  return plan;
}

/** The columns of a new table by the mapping. */
export function newColumns({
  mapping,
  columns,
}: Pick<ImportRow, "mapping" | "columns">): NewColumn[] {
  const titles = titlesOfHeaders(columns);
  return mapping.map(({ column, field, title, type = "text", options, required, unique }) => {
    const header = columns[column]?.header ?? "";
    const given = title ?? titles[column];
    return {
      name: field,
      ...(given !== undefined && { title: given }),
      // The description keeps a header that is too long for a title.
      ...(header.length > TITLE_CHARACTERS_MAX && { description: header }),
      type,
      ...(options && { options }),
      ...(required !== undefined && { required }),
      ...(unique !== undefined && { unique }),
    };
  });
}

/** A planned table for validating lines. Throws a 422 if it can't be created. */
export function planTable(
  { new_table, mapping, columns: source }: Pick<ImportRow, "new_table" | "mapping" | "columns">,
  partition: Partition,
): TableSchema {
  const { columns, errors } = parseColumns(newColumns({ mapping, columns: source }), {
    path: "/mapping",
  });
  if (errors.length > 0) throw new Failure(Invalid, { errors });
  const at = new Date(0).toISOString();
  const { slug, name } = new_table ?? { slug: "new", name: "" };
  return resolveTable(
    {
      id: "tbl_00000000000000000000000000",
      slug,
      name,
      description: "",
      columns: [...columns],
      indexes: [],
      rules: [],
      createdBy: "",
      createdAt: at,
      updatedAt: at,
      revision: 1,
      renamedRevision: 1,
      shape: 0,
    },
    partition,
  );
}

/** The fields of a line. An empty required field is omitted, so that its default is used. */
export function toInput(plan: LinePlan, { cells }: SourceRow, matches: RecordMatches): RecordInput {
  const input: Record<string, unknown> = {};
  for (const { index, column, style } of plan) {
    const cell = cells[index] ?? null;
    const value = convertCell(cell, column, style);
    if (value === null) {
      if (!column.required) input[column.name] = null;
    } else input[column.name] = matches.get(column.name)?.get(toMatchText(cell)) ?? value;
  }
  return input;
}

function toMatchText(cell: unknown): string {
  return String(cell).trim().toLowerCase();
}

/** For each reference matched by another field, and each user matched by address: the ids by text. */
export type RecordMatches = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Finds the records referenced by text in the lines of a batch, among those that the caller can see. */
export async function matchRecords(
  { tx }: Pick<ReadContext, "tx">,
  table: OpenTable,
  plan: LinePlan,
  rows: readonly SourceRow[],
): Promise<RecordMatches> {
  const matches = new Map<string, ReadonlyMap<string, string>>();
  for (const { index, column, match } of plan) {
    const texts = new Set(
      rows.flatMap(({ cells }) => (cells[index] === null ? [] : toMatchText(cells[index]))),
    );
    if (column.refersToUsers) {
      const emails = [...texts].filter((text) => text.includes("@"));
      const members = emails.length === 0 ? [] : await findMembersByEmail(tx, emails);
      matches.set(column.name, new Map(members.map(({ id, email }) => [email.toLowerCase(), id])));
    }
    const target = match === undefined ? undefined : await table.find(column.target ?? "");
    if (match === undefined || !target) continue;
    const parameters = new SqlParameters();
    const rules = target.compileRules(parameters);
    const field = rules.field(match);
    if (!field) continue;
    const list = parameters.add([...texts], "text[]");
    // Uses the database's locale, because the column collation ignores the case of ASCII letters only.
    const value = `lower(btrim(${field.sql}::text) collate "default")`;
    const text =
      `select min(id) as id, ${value} as text from ${target.schema.view} ` +
      `where ${value} = any(${list}) and (${rules.where ?? "true"}) group by 2 having count(*) = 1`;
    const found = await target.retryOnSchemaChange(() => queryRows(tx, text, parameters.values));
    matches.set(column.name, new Map(found.map((row) => [String(row["text"]), String(row["id"])])));
  }
  return matches;
}
