/** Updates computed columns of any table after a rename: formulas, paths, rollups and their filters. */
import type { Condition } from "#kernel/condition/condition.ts";
import { linkTargetOf, targetOf } from "../columns/reference.ts";
import { sourcesOf } from "../vectors/vector-column.ts";
import type { Column, ColumnTypeName, Rule, Table } from "../table.ts";

/** A column rename, and all tables before it. */
export interface ColumnRename {
  readonly tables: ReadonlyMap<string, Table>;
  readonly slug: string;
  readonly from: string;
  readonly to: string;
}

/** The table with the new name in its computed columns; the same object if nothing names the column. */
export function renameInComputed(table: Table, rename: ColumnRename): Table {
  const columns = table.columns.map((column) => {
    const options = WRITERS[column.type]?.(table, column, rename);
    const isSame =
      options === undefined || JSON.stringify(options) === JSON.stringify(column.options);
    return isSame ? column : { ...column, options };
  });
  return columns.every((column, index) => column === table.columns[index])
    ? table
    : { ...table, columns };
}

type OptionWriter = (table: Table, column: Column, rename: ColumnRename) => Record<string, unknown>;

const WRITERS: Readonly<Partial<Record<ColumnTypeName, OptionWriter>>> = {
  lookup: ({ slug }, { options }, rename) => ({
    ...options,
    path: renamePath(rename, slug, String(options["path"])),
  }),
  formula: ({ slug }, { options }, rename) => ({
    ...options,
    expression: renameInExpression(String(options["expression"]), (path) =>
      renamePath(rename, slug, path),
    ),
  }),
  backlinks: (_, { options }, { slug, from, to }) =>
    options["table"] === slug && options["column"] === from ? { ...options, column: to } : options,
  rollup(table, { options }, rename) {
    const via = String(options["via"]);
    const relation = table.columns.find(({ name }) => name === via);
    const children = relation && (linkTargetOf(relation) ?? String(relation.options["table"]));
    const { field, filter } = options;
    return {
      ...options,
      via: renamePath(rename, table.slug, via),
      ...(typeof field === "string" && { field: renamePath(rename, children, field) }),
      ...(filter !== undefined && {
        filter: renameInFilter(filter as Condition, (path) => renamePath(rename, children, path)),
      }),
    };
  },
  embedding: ({ slug }, column, rename) => ({
    ...column.options,
    columns: sourcesOf(column).map((name) => renamePath(rename, slug, name)),
  }),
};

/** Renames the column in rule conditions. */
export function renamePathsInRules({ slug, rules }: Table, rename: ColumnRename): Rule[] {
  return rules.map((rule) =>
    rule.where
      ? { ...rule, where: renameInFilter(rule.where, (path) => renamePath(rename, slug, path)) }
      : rule,
  );
}

/** Renames the column in a path that contains it. */
function renamePath(
  { tables, slug, from, to }: ColumnRename,
  start: string | undefined,
  path: string,
): string {
  let table = tables.get(start ?? "");
  return path
    .split(".")
    .map((word) => {
      const here = table;
      const column = here?.columns.find(({ name }) => name === word);
      table = column && tables.get(targetOf(column) ?? "");
      return here?.slug === slug && word === from ? to : word;
    })
    .join(".");
}

/** String literals, dotted names, and functions, which start with `$`. */
const TOKENS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\$?[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*/g;

function renameInExpression(expression: string, rename: (path: string) => string): string {
  return expression.replaceAll(TOKENS, (token) => {
    if (!/^[A-Za-z_]/.test(token)) return token;
    const path = token.replaceAll(/\s*\.\s*/g, ".");
    const renamed = rename(path);
    return renamed === path ? token : renamed;
  });
}

function renameInFilter(condition: Condition, rename: (path: string) => string): Condition {
  return Object.fromEntries(
    Object.entries(condition).map(([key, value]) => {
      if (key === "not") return [key, renameInFilter(value as Condition, rename)];
      if (key === "and" || key === "or") {
        return [key, (value as readonly Condition[]).map((part) => renameInFilter(part, rename))];
      }
      return [rename(key), value];
    }),
  );
}
