/** A table's records as a file, made piece by piece. */
import type { Json } from "../../columns/column-type.ts";
import type { KnownTable } from "../../known-table.ts";
import type { Shown } from "../record.ts";
import { csvLine, unrunnable } from "./cell.ts";

export const FORMATS = ["csv", "json", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

/** How a list of records is written. */
export interface FileForm {
  readonly mediaType: string;
  readonly begin: string;
  /** `index` counts from 0 over the whole file. */
  readonly line: (record: Shown, index: number) => string;
  readonly end: string;
}

export interface FileOptions {
  readonly table: KnownTable;
  readonly fields: readonly string[];
  /** Whether texts that a spreadsheet would run are marked. */
  readonly safe: boolean;
}

export function fileForm(format: Format, options: FileOptions): FileForm {
  switch (format) {
    case "csv":
      return csvForm(options);
    case "json":
      return {
        mediaType: "application/json",
        begin: "[",
        line: (record, index) => `${index === 0 ? "\n" : ",\n"}${JSON.stringify(record)}`,
        end: "\n]\n",
      };
    case "ndjson":
      return {
        mediaType: "application/x-ndjson",
        begin: "",
        line: (record) => `${JSON.stringify(record)}\n`,
        end: "",
      };
  }
}

function csvForm({ table, fields, safe }: FileOptions): FileForm {
  const columns = fields.map((field) => {
    const column = table.byName.get(field);
    const format = column?.is.format ?? String;
    const guard = safe && TEXTS.has(column?.type ?? "") ? unrunnable : (cell: string) => cell;
    return { field, cellOf: (value: Json) => guard(format(value)) };
  });
  return {
    mediaType: "text/csv",
    begin: csvLine(fields),
    line: (record) =>
      csvLine(
        columns.map(({ field, cellOf }) => {
          const value = record[field];
          // What a record shows is JSON.
          return value === null || value === undefined ? null : cellOf(value as Json);
        }),
      ),
    end: "",
  };
}

/** The types of columns whose cells somebody may have written as they liked. */
const TEXTS: ReadonlySet<string> = new Set(["text", "enum", "multi_enum", "json"]);
