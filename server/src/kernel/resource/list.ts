import type { TProperties, TSchema } from "typebox";
import type { ListCondition, ListDefinition, ListField } from "../list/list.ts";
import type { ReadContext } from "../contract.ts";
import { columnSql, type ResourceTable, selectSql } from "./store.ts";

export interface ResourceList {
  /** The order when nobody asks for another, such as `-id` for newest first. */
  readonly order: string;
  /** The fields that `q` looks into. */
  readonly search: readonly string[];
  /** Fields that are no part of the schema, such as a number of the row. */
  readonly fields?: Readonly<Record<string, ListField>>;
  /** The field that ends every order; `id` unless given. */
  readonly tieBreaker?: string;
  /** Further query parameters. Each is a field that must have the value, unless `conditions` says more. */
  readonly filters?: TProperties;
  /** The conditions of such a query, and of this caller. */
  readonly conditions?: (
    ctx: ReadContext,
    query: Readonly<Record<string, unknown>>,
  ) => readonly ListCondition[];
}

/** The list of a resource: every plain field of its schema can be filtered and sorted by. */
export function resourceList(
  name: string,
  table: ResourceTable,
  schema: { readonly properties: TProperties },
  { order, search, fields = {}, tieBreaker = "id" }: ResourceList,
): ListDefinition {
  return {
    name,
    from: table.table,
    select: selectSql(table),
    fields: { ...plainFields(table, schema.properties), ...fields },
    search: search.map((field) => columnSql(table, field)),
    order,
    tieBreaker,
  };
}

const SQL_TYPES: Readonly<Record<string, string>> = {
  number: "numeric",
  boolean: "boolean",
  time: "timestamptz",
};

/** The conditions that the further query parameters of a list are, where nobody says otherwise. */
export function equalityConditions(
  { fields }: ListDefinition,
  filters: TProperties,
  query: Readonly<Record<string, unknown>>,
): readonly ListCondition[] {
  return Object.keys(filters).flatMap((name) => {
    const field = fields[name];
    const value = query[name];
    if (!field || value === undefined) return [];
    const type = field.type ?? SQL_TYPES[field.kind] ?? "text";
    return [(parameters) => `${field.sql} = ${parameters.add(value, type)}`];
  });
}

function plainFields(table: ResourceTable, properties: TProperties): Record<string, ListField> {
  const stored = new Set(table.fields);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const field = stored.has(name) && !table.json.includes(name) && toListField(schema);
      return field ? [[name, { sql: columnSql(table, name), ...field }] as const] : [];
    }),
  );
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
}

/** Objects have no order and are left out. */
function toListField(schema: TSchema): Omit<ListField, "sql"> | undefined {
  const { type, format, enum: values } = schema as JsonSchema;
  const types = typeof type === "string" ? [type] : (type ?? []);
  const nullable = types.includes("null");
  const [plain = typeof values?.[0]] = types.filter((each) => each !== "null");
  switch (plain) {
    case "string":
      return { kind: format === "date-time" ? "time" : "text", nullable };
    case "integer":
    case "number":
      return { kind: "number", nullable };
    case "boolean":
      return { kind: "boolean", nullable };
    case "array":
      return { kind: "texts", nullable };
    default:
      return undefined;
  }
}
