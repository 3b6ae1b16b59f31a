import Type, { type TObject } from "typebox";
import type { PlatformServices } from "../contract.ts";
import type { SqlRow } from "../db/statement.ts";
import { extensionPoint } from "../extension-point.ts";
import type { FieldError } from "../operation/failure.ts";
import { Validator } from "../schema/validator.ts";
import type { TableDeclaration } from "./declaration.ts";
import { columnSql, type ResourceTable } from "./store.ts";

/**
 * Rows with JSON that the API validates before writing. Rows from an untrusted archive are validated with these
 * checks, because the code that reads them relies on their format.
 */
export interface StoredDefinition {
  readonly table: string;
  /** The SQL name of a row. Default: `id`. */
  readonly key?: string;
  /** The select list of the checked columns. */
  readonly columns: string;
  /** The errors that would prevent saving it. Referenced resources are not checked. */
  readonly check: (
    services: Pick<PlatformServices, "contributions">,
    row: SqlRow,
  ) => readonly FieldError[];
}

export const StoredDefinitionPoint = extensionPoint<StoredDefinition>("kernel.stored_definitions");

/** Checks the JSON of a plain resource by its schema. Undefined if it stores none. */
export function resourceDefinition(
  { schema, stored = schema }: TableDeclaration<TObject>,
  about: ResourceTable,
): StoredDefinition | undefined {
  if (about.json.length === 0) return undefined;
  // The database rejects missing values in required columns.
  const fields = about.json.map((field) => [
    field,
    Type.Optional(Type.Union([stored.properties[field] ?? Type.Unknown(), Type.Null()])),
  ]);
  const validator = new Validator(Type.Object(Object.fromEntries(fields)), "body");
  return {
    table: about.table,
    columns: about.json.map((field) => `${columnSql(about, field)} as "${field}"`).join(", "),
    check(_services, row) {
      const result = validator.check(row);
      return "errors" in result ? result.errors : [];
    },
  };
}
