import type { Constraint, CreateStmt, Node } from "libpg-query";
import { textsOf } from "#domains/queries/index.ts";
import type { NewIndex, TableStep } from "#domains/tables/index.ts";
import { parseChecks } from "./check-clause.ts";
import {
  addCheck,
  toColumn,
  type ColumnDraft,
  parseColumnDefinition,
  setReference,
  rejectDeferred,
} from "./column-definition.ts";
import { toFieldName } from "./field.ts";
import { rejectSql, rejectSqlIf, tableSlug } from "./sql-error.ts";

/** Names of system columns, and the types that are accepted for them. */
const SYSTEM_COLUMN_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ["id", ["text", "integer", "autonumber"]],
  ["created_at", ["timestamp"]],
  ["createdat", ["timestamp"]],
  ["updated_at", ["timestamp"]],
  ["updatedat", ["timestamp"]],
  ["created_by", ["text", "reference"]],
  ["createdby", ["text", "reference"]],
]);

/** Translates `create table`; its columns may include system columns. */
export function translateCreateTable(statement: CreateStmt): TableStep[] {
  const table = tableSlug(statement.relation);
  const at = statement.relation ?? {};
  rejectSqlIf(
    { ...statement, location: at.location ?? 0 },
    {
      inhRelations: "INHERITS",
      partspec: "PARTITION BY",
      partbound: "PARTITION OF",
      ofTypename: "OF a type",
      options: "WITH",
      tablespacename: "TABLESPACE",
      accessMethod: "USING",
    },
  );
  if (statement.oncommit !== undefined && statement.oncommit !== "ONCOMMIT_NOOP") {
    rejectSql("ON COMMIT is not available", at);
  }
  const elements = statement.tableElts ?? [];
  const drafts = elements.flatMap((element) =>
    "ColumnDef" in element ? [parseColumnDefinition(element.ColumnDef)] : [],
  );
  const indexes = elements.flatMap((element) =>
    "ColumnDef" in element ? [] : applyConstraint(drafts, element),
  );
  checkKeys(drafts);
  const columns = drafts.filter((draft) => !isSystemColumn(draft)).map(toColumn);
  return [{ op: "create_table", table, columns, ...(indexes.length > 0 && { indexes }) }];
}

/** Applies a table constraint to the columns, and returns the indexes that it creates. */
function applyConstraint(drafts: readonly ColumnDraft[], element: Node): NewIndex[] {
  if (!("Constraint" in element)) return rejectSql("LIKE is not available");
  const constraint = element.Constraint;
  rejectDeferred(constraint);
  const add = CONSTRAINTS.get(constraint.contype ?? "");
  return add ? add(drafts, constraint) : rejectSql("this constraint is not available", constraint);
}

type Add = (drafts: readonly ColumnDraft[], constraint: Constraint) => NewIndex[];

const CONSTRAINTS: ReadonlyMap<string, Add> = new Map<string, Add>([
  ["CONSTR_NOTNULL", requireColumns],
  ["CONSTR_CHECK", applyChecks],
  ["CONSTR_FOREIGN", applyReference],
  ["CONSTR_UNIQUE", applyUnique],
  ["CONSTR_PRIMARY", applyPrimaryKey],
]);

function requireColumns(drafts: readonly ColumnDraft[], constraint: Constraint): NewIndex[] {
  for (const name of textsOf(constraint.keys)) findDraft(drafts, name, constraint).required = true;
  return [];
}

function applyChecks(drafts: readonly ColumnDraft[], constraint: Constraint): NewIndex[] {
  for (const check of parseChecks(constraint.raw_expr)) {
    addCheck(findDraft(drafts, check.column, constraint), check);
  }
  return [];
}

function applyReference(drafts: readonly ColumnDraft[], constraint: Constraint): NewIndex[] {
  const [name = "", ...others] = textsOf(constraint.fk_attrs);
  if (others.length > 0) rejectSql("a foreign key can have only one column", constraint);
  setReference(findDraft(drafts, name, constraint), constraint);
  return [];
}

function applyUnique(drafts: readonly ColumnDraft[], constraint: Constraint): NewIndex[] {
  const names = textsOf(constraint.keys);
  const [only, ...others] = names.map((name) => findDraft(drafts, name, constraint));
  if (only && others.length === 0 && constraint.conname === undefined) {
    only.unique = true;
    return [];
  }
  const { conname } = constraint;
  return [
    {
      columns: names.map(toFieldName),
      unique: true,
      ...(conname !== undefined && { name: conname }),
    },
  ];
}

/** A key of several columns becomes an index; a key of one column becomes a property of it. */
function applyPrimaryKey(drafts: readonly ColumnDraft[], constraint: Constraint): NewIndex[] {
  const names = textsOf(constraint.keys);
  const key = names.map((name) => findDraft(drafts, name, constraint));
  const [only, ...others] = key;
  if (only && others.length === 0) {
    only.primary = true;
    return [];
  }
  for (const draft of key) draft.required = true;
  return [{ columns: names.map(toFieldName), unique: true }];
}

function findDraft(drafts: readonly ColumnDraft[], name: string, at: Constraint): ColumnDraft {
  const draft = drafts.find((draft) => draft.name === name);
  return draft ?? rejectSql(`the column ${name} does not exist in this table`, at);
}

/** An `id` that is not the primary key would differ from the record id. */
function checkKeys(drafts: readonly ColumnDraft[]): void {
  const id = drafts.find(({ name }) => name.toLowerCase() === "id");
  const key = drafts.find(({ primary: isKey }) => isKey);
  if (id && key && id !== key) {
    rejectSql("id is a reserved name for the key of every table. Use another name", {
      location: id.location ?? 0,
    });
  }
}

/** Returns whether a column is a system column; rejects one with that name and another type. */
function isSystemColumn({ name, found, location }: ColumnDraft): boolean {
  const types = SYSTEM_COLUMN_TYPES.get(name.toLowerCase());
  if (!types) return false;
  if (types.includes(found.type)) return true;
  return rejectSql(`${name} is a reserved name with another type. Use another name`, {
    location: location ?? 0,
  });
}
