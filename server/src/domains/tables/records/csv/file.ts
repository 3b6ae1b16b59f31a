/** A table's records as a file, made piece by piece. */
import { csvLine, unrunnable } from "#kernel/csv/csv-line.ts";
import { jsonForm, type ListForm } from "#kernel/list/list-file.ts";
import type { Json } from "../../columns/column-type.ts";
import type { KnownTable } from "../../table-schema.ts";
import type { Listed } from "#domains/records/read/list-sql.ts";

export const FORMATS = ["csv", "json", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

export interface FileOptions {
  readonly table: KnownTable;
  readonly fields: readonly string[];
  /** Whether texts that a spreadsheet would run are marked. */
  readonly safe: boolean;
}

/** How records are written in such a file. */
export function fileForm(format: Format, options: FileOptions): ListForm<Listed> {
  switch (format) {
    case "csv":
      return csvForm(options);
    case "json":
      return jsonForm(({ record }) => record);
    case "ndjson":
      return {
        mediaType: "application/x-ndjson",
        begin: "",
        line: ({ record }) => `${JSON.stringify(record)}\n`,
        end: "",
      };
  }
}

function csvForm({ table, fields, safe }: FileOptions): ListForm<Listed> {
  const columns = fields.map((field) => {
    const column = table.byName.get(field);
    const format = column?.is.format ?? String;
    const guard = safe && TEXTS.has(column?.type ?? "") ? unrunnable : (cell: string) => cell;
    return { field, cellOf: (value: Json) => guard(format(value)) };
  });
  return {
    mediaType: "text/csv",
    begin: csvLine(fields),
    line: ({ record }) =>
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
