/**
 * The type of any field: stored, system, computed, or at the end of a path through references (`customer.name`). It
 * depends only on definitions, not on the caller.
 */
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import { toTypedCondition } from "#kernel/condition/typed-condition.ts";
import { asStored, type ColumnSchema, type Json } from "../columns/column-type.ts";
import {
  parseRollup,
  ROLLUP_FUNCTIONS,
  findRelation,
} from "../columns/relations/computed-column.ts";
import { compileFormula, type FormulaField } from "../formula/compile-formula.ts";
import { type ColumnTypeName, SYSTEM_COLUMNS } from "../table.ts";
import type { TableSchema } from "./table-schema.ts";
import { compileVectorSource } from "../vectors/vector-source.ts";

/** The maximum number of references in a path, and of tables between a computed field and its source. */
export const HOPS_MAX = 4;

/**
 * The maximum number of fields and formula parts in one field. A formula is inlined wherever it is named, so each
 * level multiplies the size.
 */
const PARTS_MAX = 1_000;

/** Related tables by slug. */
export type RelatedTables = ReadonlyMap<string, TableSchema>;

export interface FieldType {
  readonly kind: ConditionFieldKind;
  /** In SQL. */
  readonly type: string;
  /** Converts a value of the driver to the API form. */
  readonly show: (stored: unknown) => Json;
}

/** The path from a field to its sources. */
interface Search {
  readonly hops: number;
  /** The number of visited fields and path parts, shared by all paths. */
  readonly met: { parts: number };
}

/** Resolves the type of a field or path; undefined if it does not exist, or has too many parts. */
export function resolveFieldType(
  schema: TableSchema,
  name: string,
  related: RelatedTables,
  search: Search = { hops: 0, met: { parts: 0 } },
): FieldType | undefined {
  search.met.parts += 1;
  if (search.hops > HOPS_MAX || search.met.parts > PARTS_MAX) return undefined;
  const stored = schema.byName.get(name);
  if (stored) {
    const { kind, parameterType, show } = stored.columnType;
    return { kind, type: parameterType, show };
  }
  const system = SYSTEM_TYPES.get(name);
  if (system) return system;
  const computed = schema.computed.get(name);
  const next = { ...search, hops: search.hops + 1 };
  if (computed) return COMPUTED[computed.type]?.(schema, computed, related, next);
  const [first = "", ...rest] = name.split(".");
  const target = related.get(schema.byName.get(first)?.target ?? "");
  if (rest.length === 0 || !target) return undefined;
  return resolveFieldType(target, rest.join("."), related, next);
}

/** Counts the fields and formula parts of a field. */
export function countParts(schema: TableSchema, name: string, related: RelatedTables): number {
  const met = { parts: 0 };
  resolveFieldType(schema, name, related, { hops: 0, met });
  return met.parts;
}

type ComputedResolver = (
  schema: TableSchema,
  column: ColumnSchema,
  related: RelatedTables,
  search: Search,
) => FieldType | undefined;

const COMPUTED: Readonly<Partial<Record<ColumnTypeName, ComputedResolver>>> = {
  lookup: (schema, { options }, related, search) =>
    resolveFieldType(schema, String(options["path"]), related, search),
  backlinks: (_schema, { options }, related) =>
    related.has(String(options["table"])) ? IDS : undefined,
  rollup: resolveRollup,
  formula(schema, { options }, related, search) {
    const compiled = compileFormula(String(options["expression"]), (name) =>
      toFormulaField(name, resolveFieldType(schema, name, related, search)),
    );
    if ("error" in compiled) return undefined;
    search.met.parts += compiled.parts;
    return search.met.parts > PARTS_MAX ? undefined : KINDS[compiled.kind];
  },
  embedding: (schema, { name }) => (compileVectorSource(schema, name, "") ? TEXT : undefined),
};

/** Converts a field for use in a formula. The SQL is only a placeholder. */
function toFormulaField(name: string, type: FieldType | undefined): FormulaField | undefined {
  return type && { sql: JSON.stringify(name), kind: type.kind };
}

function resolveRollup(
  schema: TableSchema,
  column: ColumnSchema,
  related: RelatedTables,
  search: Search,
): FieldType | undefined {
  const { via, field, filter, function: name } = parseRollup(column);
  const children = related.get(findRelation(schema, via)?.table ?? "");
  if (!children) return undefined;
  const resolve = (other: string) => resolveFieldType(children, other, related, search);
  // Filter fields are sources too because they can reference this field.
  const typed = filter && toTypedCondition(filter, (other) => resolve(other)?.kind);
  if (typed && "errors" in typed) return undefined;
  const value = field === undefined ? undefined : resolve(field);
  if (name === "count") return field === undefined || value ? NUMBER : undefined;
  const takes: readonly ConditionFieldKind[] | undefined = ROLLUP_FUNCTIONS[name].takes;
  if (!value || (takes !== undefined && !takes.includes(value.kind))) return undefined;
  switch (name) {
    case "sum":
    case "avg":
      return NUMBER;
    case "min":
    case "max":
      return value;
    case "any":
    case "all":
      return BOOLEAN;
    case "unique":
      return { kind: "json", type: "jsonb", show: (stored) => stored as Json };
  }
}

const NUMBER: FieldType = { kind: "number", type: "numeric", show: Number };
const BOOLEAN: FieldType = { kind: "boolean", type: "boolean", show: asStored };
const TEXT: FieldType = { kind: "text", type: "text", show: asStored };
const IDS: FieldType = { kind: "texts", type: "text[]", show: asStored };
const TIME: FieldType = { kind: "time", type: "timestamptz", show: asStored };
const KINDS = {
  number: NUMBER,
  boolean: BOOLEAN,
  text: TEXT,
  time: TIME,
  date: { kind: "date", type: "date", show: asStored },
} as const satisfies Record<string, FieldType>;

const SYSTEM_TYPES: ReadonlyMap<string, FieldType> = new Map(
  SYSTEM_COLUMNS.map(([name]) => [name, name.endsWith("At") ? TIME : TEXT]),
);
