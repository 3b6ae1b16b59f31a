import Type, { type TObject } from "typebox";
import type { PlatformServices } from "../contract.ts";
import type { SqlRow } from "../db/statement.ts";
import { extensionPoint } from "../extension-point.ts";
import type { FieldError } from "../operation/failure.ts";
import { Validator } from "../schema/validator.ts";
import type { TableDeclaration } from "./declaration.ts";
import { columnSql, type ResourceTable } from "./store.ts";

/**
 * Rows with JSON that the API checks before it writes them. Where rows come in otherwise, from an archive that anybody
 * may have made, they are checked by this: code that reads them takes their form for granted.
 */
export interface StoredDefinition {
  readonly table: string;
  /** The name of a row, in SQL; its `id` unless given. */
  readonly key?: string;
  /** The select list of what is checked. */
  readonly columns: string;
  /** The errors that keep it from being saved, in itself: whether what it names is there is not asked. */
  readonly check: (
    services: Pick<PlatformServices, "contributions">,
    row: SqlRow,
  ) => readonly FieldError[];
}

export const StoredDefinitionPoint = extensionPoint<StoredDefinition>("kernel.stored_definitions");

/** The JSON of a plain resource as its schema has it; undefined where it stores none. */
export function resourceDefinition(
  { schema, stored = schema }: TableDeclaration<TObject>,
  about: ResourceTable,
): StoredDefinition | undefined {
  if (about.json.length === 0) return undefined;
  // A column that is empty where it must not be is the database's to refuse.
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
