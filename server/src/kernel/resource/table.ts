import type { TObject } from "typebox";
import type { SqlRow } from "../db/statement.ts";
import type { Item, TableDeclaration } from "./declaration.ts";
import { type ResourceStore, resourceStore, type ResourceTable } from "./store.ts";

/** The store of a table that is no plain resource, or that files need which its declaration needs. */
export function tableStore<S extends TObject, Row extends TObject = S>(
  declaration: TableDeclaration<S, Row>,
): ResourceStore<Item<S, Row>> {
  // Rows have the fields of the schemas, which only checked input is written to.
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

/** The fields that a schema names, without those that are only stored. */
export function pickFields(
  values: object,
  { properties }: TObject,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([field]) => field in properties));
}
