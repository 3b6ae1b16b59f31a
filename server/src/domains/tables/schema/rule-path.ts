/**
 * Paths through references in conditions of rules (`customer.region`), evaluated on stored values, whatever the
 * caller may read of them. In SQL a path is a subquery; for in-memory evaluation, its value is read first (ADR
 * 0099).
 */
import type { Condition } from "#kernel/condition/condition.ts";
import { valueAt } from "#kernel/condition/condition.ts";
import { type ConditionField, splitPath } from "#kernel/condition/sql.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { targetOf } from "../columns/reference.ts";
import type { Rule, Table } from "../table.ts";
import { HOPS_MAX, type RelatedTables, resolveFieldType } from "./field-type.ts";
import { storedField } from "./stored-field.ts";
import { findRelated, type TableSource } from "./table-cache.ts";
import type { TableSchema } from "./table-schema.ts";

/** The values at the ends of paths, by first column and id; null if the record was deleted. */
export type References = ReadonlyMap<string, ReadonlyMap<unknown, PathValues | null>>;
type PathValues = ReadonlyMap<string, unknown>;

/** The paths through references that a condition names. */
export function rulePaths({ columns }: Pick<Table, "columns">, where: Condition): string[] {
  const paths = namedPaths(where).filter((path) => {
    const first = path.slice(0, path.indexOf("."));
    const column = columns.find(({ name }) => name === first);
    return column !== undefined && targetOf(column) !== undefined;
  });
  return [...new Set(paths)];
}

/** All paths through references in the rules of a table. */
export function pathsOfRules(
  table: Pick<Table, "columns">,
  rules: readonly Pick<Rule, "where">[],
): string[] {
  return [...new Set(rules.flatMap(({ where }) => (where ? rulePaths(table, where) : [])))];
}

function namedPaths(condition: Condition): string[] {
  return Object.entries(condition).flatMap(([key, value]): string[] => {
    if (key === "not") return namedPaths(value as Condition);
    if (key === "and" || key === "or") return (value as readonly Condition[]).flatMap(namedPaths);
    return key.includes(".") ? [key] : [];
  });
}

/** The first row when following a path. */
export interface PathStart {
  /** Returns the SQL of a column of that row. */
  readonly column: (quoted: string) => string;
  readonly related: RelatedTables;
  /** A table after `from`. */
  readonly from: (table: TableSchema) => string;
  readonly level: number;
}

/** The stored field at the end of a path; undefined if it does not exist. */
export function compileRulePath(
  table: TableSchema,
  path: string,
  { column, related, from, level }: PathStart,
  hops = 1,
): ConditionField | undefined {
  const [first = "", ...rest] = path.split(".");
  const reference = table.byName.get(first);
  const target = related.get(reference?.target ?? "");
  if (!reference || !target || rest.length === 0 || hops > HOPS_MAX) return undefined;
  const row = `"~${level + 1}"`;
  const inner = { column: (quoted: string) => `${row}.${quoted}`, related, from, level: level + 1 };
  const name = rest.join(".");
  const field = storedField(target, name) ?? compileRulePath(target, name, inner, hops + 1);
  if (!field) return undefined;
  const { kind, type } = field;
  const where = `${row}.id = ${column(reference.quoted)}`;
  return {
    sql: `(select ${field.sql} from ${from(target)} as ${row} where ${where})`,
    kind,
    ...(type !== undefined && { type }),
  };
}

/** The kind of the field at the end of a path; it depends on definitions alone. */
export function rulePathKind(table: TableSchema, path: string, related: RelatedTables) {
  const start = { column: (quoted: string) => quoted, related, from: () => "", level: 0 };
  return compileRulePath(table, path, start)?.kind;
}

/** Reads the path values of these records, with one statement per first column. */
export async function loadReferences(
  source: TableSource,
  schema: TableSchema,
  paths: readonly string[],
  records: readonly Readonly<Record<string, unknown>>[],
): Promise<References> {
  const references = new Map<string, ReadonlyMap<unknown, PathValues | null>>();
  if (paths.length === 0) return references;
  const related = await findRelated(source, schema);
  for (const [first, ofColumn] of Map.groupBy(paths, (path) => path.slice(0, path.indexOf(".")))) {
    const ids = new Set(records.map((record) => record[first]).filter((id) => id !== null));
    ids.delete(undefined);
    const target = related.get(schema.byName.get(first)?.target ?? "");
    const found = new Map<unknown, PathValues | null>([...ids].map((id) => [id, null]));
    references.set(first, found);
    // In an old event, the reference may still be a list or an object.
    const named = [...ids].filter((id) => typeof id === "string");
    if (!target || named.length === 0) continue;
    const rests = ofColumn.map((path) => path.slice(first.length + 1));
    const ends = rests.map((rest) => resolveEnd(target, rest, related));
    const columns = ends.map(({ sql }, index) => `${sql} as c${index}`);
    const text =
      `select ${START}.id, ${columns.join(", ")} from ${target.view} as ${START} ` +
      `where ${START}.id = any($1::text[])`;
    const rows = await source.read((tx) => queryRows(tx, text, [named]));
    for (const row of rows) {
      const values = ends.map(({ show }, index): [string, unknown] => {
        const stored = row[`c${index}`] ?? null;
        return [ofColumn[index] ?? "", stored === null ? null : show(stored)];
      });
      found.set(row["id"], new Map(values));
    }
  }
  return references;
}

const START = '"~0"';

/** The end of a path from a referenced record; further segments lead into JSON. */
function resolveEnd(target: TableSchema, path: string, related: RelatedTables) {
  const column = (quoted: string) => `${START}.${quoted}`;
  const start = { column, related, from: ({ view }: TableSchema) => view, level: 0 };
  const fieldOf = (name: string) => {
    const field = storedField(target, name) ?? compileRulePath(target, name, start);
    const type = field && resolveFieldType(target, name, related);
    return field && type && { sql: field.sql, show: type.show };
  };
  const { root, words } = splitPath(path.split("."), fieldOf);
  // It was validated when the rule was saved, and its target cannot be dropped.
  if (!root) throw new Error(`A rule leads through ${target.slug} to ${path}, which is no field.`);
  return { sql: root.sql, show: (stored: unknown) => valueAt(root.show(stored), words) };
}
