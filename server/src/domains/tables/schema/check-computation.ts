import type { Partition } from "#kernel/db/partition.ts";
import { toTypedCondition } from "#kernel/condition/typed-condition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { ColumnSchema } from "../columns/column-type.ts";
import { findRelation, parseRollup } from "../columns/relations/computed-column.ts";
import { sourcesOf } from "../vectors/vector-column.ts";
import { compileFormula } from "../formula/compile-formula.ts";
import type { ColumnTypeName, Table } from "../table.ts";
import { compileFormulaIndex } from "../formula/formula-index.ts";
import { countParts, type RelatedTables, resolveFieldType } from "./field-type.ts";
import { resolveTable, type TableSchema } from "./table-schema.ts";
import { EMBEDDED_TYPES } from "../vectors/vector-source.ts";

/** The errors of a computed column, given the future tables; paths are relative to the column. */
export function checkComputed(
  { slug, name }: { readonly slug: string; readonly name: string },
  tables: ReadonlyMap<string, Table>,
  partition: Partition,
): readonly FieldError[] {
  const related = new Map([...tables].map(([key, table]) => [key, resolveTable(table, partition)]));
  const schema = related.get(slug);
  const column = schema?.computed.get(name);
  if (!schema || !column) return [];
  const errors = CHECKS[column.type]?.(schema, column, related) ?? [];
  if (errors.length > 0 || resolveFieldType(schema, name, related)) return errors;
  return [
    {
      path: "/options",
      message: "does not exist, is circular, or goes through too many tables or fields",
    },
  ];
}

/**
 * The maximum total number of fields and formula parts of all computed fields in a table: a list of all of them
 * takes about 10 ms per thousand and page.
 */
const TABLE_PARTS_MAX = 20_000;

/** Returns whether the computed fields of a table are cheap enough to list together. */
export function isWithinBudget(
  slug: string,
  tables: ReadonlyMap<string, Table>,
  partition: Partition,
): boolean {
  const related = new Map([...tables].map(([key, table]) => [key, resolveTable(table, partition)]));
  const schema = related.get(slug);
  if (!schema) return true;
  let parts = 0;
  for (const name of schema.computed.keys()) {
    parts += countParts(schema, name, related);
    if (parts > TABLE_PARTS_MAX) return false;
  }
  return true;
}

type ComputedCheck = (
  schema: TableSchema,
  column: ColumnSchema,
  related: RelatedTables,
) => readonly FieldError[];

const CHECKS: Readonly<Partial<Record<ColumnTypeName, ComputedCheck>>> = {
  lookup(schema, { options }, related) {
    const name = String(options["path"]);
    const path = "/options/path";
    if (!name.includes(".")) return [{ path, message: "must go through a reference" }];
    return resolveFieldType(schema, name, related)
      ? []
      : [{ path, message: "does not end with a field" }];
  },
  backlinks: checkBacklinks,
  rollup: checkRollup,
  formula(schema, { name, indexed, options }, related) {
    const compiled = compileFormula(String(options["expression"]), (field) => {
      const type = resolveFieldType(schema, field, related);
      return type && { sql: "null", kind: type.kind };
    });
    if ("error" in compiled) return [{ path: "/options/expression", message: compiled.error }];
    const index = indexed ? compileFormulaIndex(schema, name) : undefined;
    return index && "error" in index ? [{ path: "/indexed", message: index.error }] : [];
  },
  embedding: ({ byName }, column) =>
    sourcesOf(column).flatMap((name, index) => {
      const source = byName.get(name);
      const path = `/options/columns/${index}`;
      if (!source) return [{ path, message: "is not a stored column of this table" }];
      return EMBEDDED_TYPES.has(source.type) ? [] : [{ path, message: "is not a text column" }];
    }),
};

function checkBacklinks(
  { slug }: TableSchema,
  { options }: ColumnSchema,
  related: RelatedTables,
): readonly FieldError[] {
  const other = related.get(String(options["table"]));
  if (!other) return [{ path: "/options/table", message: "is not a table here" }];
  const column = other.byName.get(String(options["column"]));
  if ((column?.target ?? column?.linkTarget) === slug) return [];
  return [
    { path: "/options/column", message: "is not a reference or a list of links to this table" },
  ];
}

function checkRollup(
  schema: TableSchema,
  column: ColumnSchema,
  related: RelatedTables,
): readonly FieldError[] {
  const { via, field, filter } = parseRollup(column);
  const children = related.get(findRelation(schema, via)?.table ?? "");
  if (!children)
    return [{ path: "/options/via", message: "is not a backlinks or links column of this table" }];
  if (field !== undefined && !resolveFieldType(children, field, related)) {
    return [{ path: "/options/field", message: `is not a field of ${children.slug}` }];
  }
  if (filter !== undefined) {
    const typed = toTypedCondition(
      filter,
      (name) => resolveFieldType(children, name, related)?.kind,
    );
    if ("errors" in typed) {
      return typed.errors.map(({ path, message }) => ({ path: `/options/filter${path}`, message }));
    }
  }
  if (resolveFieldType(schema, column.name, related)) return [];
  return [{ path: "/options/function", message: "can't be combined with the type of the field" }];
}
