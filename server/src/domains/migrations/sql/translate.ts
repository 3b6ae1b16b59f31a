/**
 * Translates SQL that changes tables into steps. The SQL text itself is never executed, so that the definition of a
 * table always matches its structure in the database.
 */
import type { CommentStmt, IndexStmt, Node, RenameStmt } from "libpg-query";
import { recordsOf, textOf, textsOf } from "#domains/queries/index.ts";
import { parseStep, type TableStep } from "#domains/tables/index.ts";
import { alterTableFrom } from "./alter-table.ts";
import { translateCreateTable } from "./create-table.ts";
import { translateDrop } from "./drop.ts";
import { resolveColumnName, toFieldName } from "./field.ts";
import { TableLookup } from "./table-lookup.ts";
import { singleName, rejectSql, rejectSqlIf, tableSlug } from "./sql-error.ts";

/** Translates a statement; throws `UnsupportedSql` if it has no equivalent steps. */
export function translateToSteps(statement: Node, known: TableLookup): readonly TableStep[] {
  const steps = translateStatement(statement, known);
  for (const step of steps) {
    // Parsing fills in defaults.
    const parsed = parseStep(structuredClone(step));
    if ("errors" in parsed) {
      const [error] = parsed.errors;
      rejectSql(`${describePath(step, error?.path ?? "")} ${error?.message}`);
    }
  }
  return steps;
}

/** A path within a step, in SQL terms. */
export function describePath(step: TableStep, path: string): string {
  const [, position = ""] = /^\/columns\/(\d+)/.exec(path) ?? [];
  const column = step.op === "create_table" ? step.columns[Number(position)]?.name : undefined;
  if (position !== "" && column !== undefined) {
    const rest = path.slice(`/columns/${position}/`.length);
    return rest === "" || rest === "name"
      ? `the column ${column}`
      : `the column ${column}: ${rest}`;
  }
  return `${step.op} ${step.table}${path.replaceAll("/", " ")}:`;
}

function translateStatement(statement: Node, known: TableLookup): TableStep[] {
  if ("CreateStmt" in statement) {
    const { relation, if_not_exists } = statement.CreateStmt;
    if (if_not_exists && known.table(tableSlug(relation))) return [];
    return translateCreateTable(statement.CreateStmt);
  }
  if ("AlterTableStmt" in statement) return alterTableFrom(statement.AlterTableStmt, known);
  if ("RenameStmt" in statement) return translateRename(statement.RenameStmt, known);
  if ("DropStmt" in statement) return translateDrop(statement.DropStmt, known);
  if ("IndexStmt" in statement) return translateIndex(statement.IndexStmt, known);
  if ("CommentStmt" in statement) return translateComment(statement.CommentStmt, known);
  return rejectSql("this statement is not available");
}

function translateRename(statement: RenameStmt, known: TableLookup): TableStep[] {
  const { renameType, relationType, relation, subname, newname, missing_ok } = statement;
  if (renameType === "OBJECT_TABLE") {
    rejectSql(
      "the slug of a table can't be changed; use the step alter_table to change its display name",
      relation,
    );
  }
  if (renameType !== "OBJECT_COLUMN" || relationType !== "OBJECT_TABLE") {
    rejectSql("only columns can be renamed", relation);
  }
  const table = tableSlug(relation);
  if (missing_ok && known.isMissing(table)) return [];
  const from = resolveColumnName(known.table(table), textOf(subname));
  return [{ op: "rename_column", table, from, to: textOf(newname) }];
}

function translateIndex(statement: IndexStmt, known: TableLookup): TableStep[] {
  const { relation, idxname, accessMethod, indexParams = [], unique, if_not_exists } = statement;
  const slug = tableSlug(relation);
  const table = known.table(slug);
  const at = { location: relation?.location ?? 0 };
  if (statement.concurrent)
    rejectSql("CONCURRENTLY is not available, because a migration is one transaction", at);
  rejectSqlIf(
    { ...statement, ...at },
    {
      whereClause: "a partial index",
      indexIncludingParams: "INCLUDE",
      options: "WITH",
      tableSpace: "TABLESPACE",
      nulls_not_distinct: "NULLS NOT DISTINCT",
    },
  );
  if (accessMethod !== "btree" && accessMethod !== "gin")
    rejectSql(`an index with ${accessMethod} is not available`, at);
  const columns = indexParams.map((param) => {
    const { name, expr, collation, opclass } = "IndexElem" in param ? param.IndexElem : {};
    if (name === undefined || expr || opclass || collation)
      rejectSql("an index can only contain columns", at);
    return toFieldName(resolveColumnName(table, name));
  });
  if (if_not_exists && table?.indexes.some(({ name }) => name === idxname)) return [];
  return [
    {
      op: "add_index",
      table: slug,
      columns,
      ...(unique && { unique }),
      ...(idxname !== undefined && { name: idxname }),
    },
  ];
}

/** Translates a comment to a description. */
function translateComment(
  { objtype, object, comment = "" }: CommentStmt,
  known: TableLookup,
): TableStep[] {
  const [list] = recordsOf(object).map(
    ({ List: inner }) => inner as { items?: unknown } | undefined,
  );
  const names = textsOf(list?.items);
  if (objtype === "OBJECT_TABLE") {
    return [{ op: "alter_table", table: singleName(names), description: comment }];
  }
  const [table, column, ...others] = names;
  if (
    objtype !== "OBJECT_COLUMN" ||
    table === undefined ||
    column === undefined ||
    others.length > 0
  ) {
    return rejectSql("only tables and columns without a schema can have comments");
  }
  const name = resolveColumnName(known.table(table), column);
  return [{ op: "alter_column", table, column: name, change: { description: comment } }];
}
