import type { TObject } from "typebox";
import type { SqlRow } from "../db/statement.ts";
import type { Item, TableDeclaration } from "./declaration.ts";
import { type ResourceStore, resourceStore, type ResourceTable } from "./store.ts";

/** A store for tables without a plain resource, or for files that the resource declaration depends on. */
export function tableStore<S extends TObject, Row extends TObject = S>(
  declaration: TableDeclaration<S, Row>,
): ResourceStore<Item<S, Row>> {
  // Rows have the fields of the schemas, because only validated input is written.
  const erased = declaration as unknown as TableDeclaration<TObject>;
  return resourceStore(toTable(erased)) as unknown as ResourceStore<Item<S, Row>>;
}

export function toTable(declaration: TableDeclaration<TObject>): ResourceTable {
  const { table, schema, stored = schema, columns = {}, computed = {}, json = [] } = declaration;
  const { toItem } = declaration;
  return {
    table,
    fields: Object.keys(stored.properties),
    columns,
    computed,
    json: json.map(String),
    hasRevision: declaration.revisioned !== false,
    toItem: (row: SqlRow) => ({ ...row, ...toItem?.(row) }) as never,
  };
}

/** Returns the schema fields without internal ones. */
export function pickFields(
  values: object,
  { properties }: TObject,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([field]) => field in properties));
}
