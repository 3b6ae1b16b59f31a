import Type from "typebox";
import type { Partition } from "#kernel/db/partition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { parseColumns } from "./columns/parse-fields.ts";
import { isComputed } from "./columns/registry.ts";
import { derivedNameSql, tableSql } from "./sql-names.ts";
import { Column, Rule, Slug, type Table, TableId, TableIndex } from "./table.ts";
import { constraintSql, createTable, createView } from "./structure/ddl.ts";

/** Statements for creating a table: those required before loading rows, and those that are faster afterwards. */
export interface StructureParts {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Creates the structure of a table from an imported definition, which is validated again. References come last,
 * because two tables may refer to each other.
 */
export function structureParts(partition: Partition, table: Table): StructureParts {
  const [error] = errorsOf(table);
  if (error)
    throw new StartupError(
      `The table ${table.slug} is invalid at ${error.path}: ${error.message}.`,
    );
  const location = { partition, table };
  const references = table.columns
    .filter((column) => !isComputed(column))
    .flatMap((column) => {
      const sql = constraintSql(location, column, "reference");
      if (sql === undefined) return [];
      return [`constraint ${derivedNameSql(location, "reference", column.name)} ${sql}`];
    });
  const [create = { text: "" }, ...others] = createTable(partition, table);
  const isIndex = (text: string) => /^create (?:unique )?index /.test(text);
  const texts = others.map(({ text }) => text);
  return {
    before: [
      references.reduce((text, clause) => text.replace(`,\n  ${clause}`, ""), create.text),
      ...texts.filter((text) => !isIndex(text)),
    ],
    after: [
      ...texts.filter(isIndex),
      ...references.map((clause) => `alter table ${tableSql(location)} add ${clause}`),
      createView(partition, table).text,
    ],
  };
}

const definition = new Validator(
  Type.Object({
    id: TableId,
    slug: Slug,
    columns: Type.Array(Column),
    indexes: Type.Array(TableIndex),
    rules: Type.Array(Rule),
  }),
  "body",
);

function errorsOf({ id, slug, columns, indexes, rules }: Table): readonly FieldError[] {
  const result = definition.check({ id, slug, columns, indexes, rules });
  if ("errors" in result) return result.errors;
  return parseColumns(columns, { path: "/columns" }).errors;
}
