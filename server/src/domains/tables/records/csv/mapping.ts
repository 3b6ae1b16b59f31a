/** What the cells of a CSV file mean to a table. */
import type { CsvRow } from "#kernel/csv/parse-csv.ts";
import type { Fault } from "#kernel/operation/failure.ts";
import type { KnownColumn, KnownTable } from "../../table-schema.ts";
import { SYSTEM_COLUMNS } from "../../table.ts";
import { invalid } from "#domains/records/write/constraint-error.ts";
import type { Given } from "#domains/records/write/insert-records.ts";

/** Reads rows as the fields of records. */
export interface Mapping {
  readonly table: KnownTable;
  /** For each cell the column that it is for; undefined where the platform fills that itself. */
  readonly columns: readonly (KnownColumn | undefined)[];
}

const OWN: ReadonlySet<string> = new Set(SYSTEM_COLUMNS.map(([field]) => field));

/** Finds the columns that a header names; what is not a field of the table is refused. */
export function mappingOf(table: KnownTable, header: readonly string[]): Mapping {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  const columns = header.map((name) => {
    const fault = (message: string): undefined => {
      faults.push({ path: `line 1/${name}`, message });
    };
    if (seen.has(name)) return fault("is there twice");
    seen.add(name);
    if (OWN.has(name)) return undefined;
    const column = table.byName.get(name);
    if (!column) return fault("is not a field of this table");
    return column.is.generated ? undefined : column;
  });
  if (faults.length > 0) throw invalid(faults);
  return { table, columns };
}

/** How faults name a row. */
export function pathOf({ line }: CsvRow): string {
  return `line ${line}`;
}

/** What is wrong with a row as such. */
export function shapeFaults({ columns }: Mapping, row: CsvRow): Fault[] {
  if (row.cells.length === columns.length) return [];
  const message = `has ${row.cells.length} cells, and the first line ${columns.length}`;
  return [{ path: pathOf(row), message }];
}

/**
 * The fields that a row gives. An empty cell is null, or says nothing where there must be a value: then
 * the default is taken, or what is there stays.
 */
export function givenBy({ columns }: Mapping, { cells }: CsvRow): Given {
  const given: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    const cell = cells[index] ?? null;
    // Only a text can be there and empty.
    const isEmpty = cell === null || (cell === "" && column.type !== "text");
    if (!isEmpty) given[column.name] = column.is.parse(cell, column);
    else if (!column.required) given[column.name] = null;
  }
  return given;
}
