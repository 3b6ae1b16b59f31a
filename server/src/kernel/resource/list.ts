import type { TProperties, TSchema } from "typebox";
import type { ListCondition, ListDefinition, ListField } from "../list/list.ts";
import type { ReadContext } from "../contract.ts";
import { columnSql, type ResourceTable, selectSql } from "./store.ts";

export interface ResourceList {
  /** The default order, such as `-id` for newest first. */
  readonly order: string;
  /** The fields searched by `q`. */
  readonly search: readonly string[];
  /** Fields outside the schema, such as the number of a row. */
  readonly fields?: Readonly<Record<string, ListField>>;
  /** The last field of every order. Default: `id`. */
  readonly tieBreaker?: string;
  /** Additional query parameters. By default, each is a field that must have the value; see `conditions`. */
  readonly filters?: TProperties;
  /** The conditions for such parameters and for the caller. */
  readonly conditions?: (
    ctx: ReadContext,
    query: Readonly<Record<string, unknown>>,
  ) => readonly ListCondition[];
}

/** The list of a resource. Every plain field of its schema supports filters and sorting. */
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

/** The default conditions for additional query parameters. */
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

/** Objects have no order and are omitted. */
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
