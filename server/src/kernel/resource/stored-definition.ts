import Type, { type TObject } from "typebox";
import type { StoredDefinition } from "../contributions/stored-definition.ts";
import { Validator } from "../schema/validator.ts";
import type { TableDeclaration } from "./declaration.ts";
import { columnSql, type ResourceTable } from "./store.ts";

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
