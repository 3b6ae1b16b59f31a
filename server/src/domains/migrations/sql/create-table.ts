import type { Constraint, CreateStmt, Node } from "libpg-query";
import { textsOf } from "#domains/queries/guard/findings.ts";
import type { NewIndex, Step } from "#domains/tables/structure/step.ts";
import { checksIn } from "./check-clause.ts";
import {
  addCheck,
  columnFrom,
  type Draft,
  draftOf,
  referTo,
  refuseDeferred,
} from "./column-definition.ts";
import { fieldOf } from "./field.ts";
import { rejectSql, rejectSqlIf, tableNamed } from "./sql-error.ts";

/** What people call the platform's own columns, and the types that pass for theirs. */
const OWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["id", ["text", "integer", "autonumber"]],
  ["created_at", ["timestamp"]],
  ["createdat", ["timestamp"]],
  ["updated_at", ["timestamp"]],
  ["updatedat", ["timestamp"]],
  ["created_by", ["text", "reference"]],
  ["createdby", ["text", "reference"]],
]);

/** `create table`: the columns that every table has may stand there or not. */
export function createTableFrom(statement: CreateStmt): Step[] {
  const table = tableNamed(statement.relation);
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
    rejectSql("ON COMMIT is not available here", at);
  }
  const elements = statement.tableElts ?? [];
  const drafts = elements.flatMap((element) =>
    "ColumnDef" in element ? [draftOf(element.ColumnDef)] : [],
  );
  const indexes = elements.flatMap((element) =>
    "ColumnDef" in element ? [] : constrained(drafts, element),
  );
  checkKeys(drafts);
  const columns = drafts.filter((draft) => !isOwn(draft)).map(columnFrom);
  return [{ op: "create_table", table, columns, ...(indexes.length > 0 && { indexes }) }];
}

/** A constraint that stands by itself: what it adds to the columns, and the indexes that it makes. */
function constrained(drafts: readonly Draft[], element: Node): NewIndex[] {
  if (!("Constraint" in element)) return rejectSql("LIKE is not available here");
  const constraint = element.Constraint;
  refuseDeferred(constraint);
  const add = CONSTRAINTS.get(constraint.contype ?? "");
  return add
    ? add(drafts, constraint)
    : rejectSql("this constraint is not available here", constraint);
}

type Add = (drafts: readonly Draft[], constraint: Constraint) => NewIndex[];

const CONSTRAINTS: ReadonlyMap<string, Add> = new Map<string, Add>([
  ["CONSTR_NOTNULL", required],
  ["CONSTR_CHECK", checked],
  ["CONSTR_FOREIGN", referring],
  ["CONSTR_UNIQUE", unique],
  ["CONSTR_PRIMARY", primary],
]);

function required(drafts: readonly Draft[], constraint: Constraint): NewIndex[] {
  for (const name of textsOf(constraint.keys)) draftNamed(drafts, name, constraint).required = true;
  return [];
}

function checked(drafts: readonly Draft[], constraint: Constraint): NewIndex[] {
  for (const check of checksIn(constraint.raw_expr)) {
    addCheck(draftNamed(drafts, check.column, constraint), check);
  }
  return [];
}

function referring(drafts: readonly Draft[], constraint: Constraint): NewIndex[] {
  const [name = "", ...others] = textsOf(constraint.fk_attrs);
  if (others.length > 0) rejectSql("a reference is one column", constraint);
  referTo(draftNamed(drafts, name, constraint), constraint);
  return [];
}

function unique(drafts: readonly Draft[], constraint: Constraint): NewIndex[] {
  const names = textsOf(constraint.keys);
  const [only, ...others] = names.map((name) => draftNamed(drafts, name, constraint));
  if (only && others.length === 0 && constraint.conname === undefined) {
    only.unique = true;
    return [];
  }
  const { conname } = constraint;
  return [
    { columns: names.map(fieldOf), unique: true, ...(conname !== undefined && { name: conname }) },
  ];
}

/** Of several columns it is an index; of one it is a property of that column. */
function primary(drafts: readonly Draft[], constraint: Constraint): NewIndex[] {
  const names = textsOf(constraint.keys);
  const key = names.map((name) => draftNamed(drafts, name, constraint));
  const [only, ...others] = key;
  if (only && others.length === 0) {
    only.primary = true;
    return [];
  }
  for (const draft of key) draft.required = true;
  return [{ columns: names.map(fieldOf), unique: true }];
}

function draftNamed(drafts: readonly Draft[], name: string, at: Constraint): Draft {
  const draft = drafts.find((one) => one.name === name);
  return draft ?? rejectSql(`there is no column ${name} in this table`, at);
}

/** An `id` that is not the key would be something else than the record's id. */
function checkKeys(drafts: readonly Draft[]): void {
  const id = drafts.find(({ name }) => name.toLowerCase() === "id");
  const key = drafts.find(({ primary: isKey }) => isKey);
  if (id && key && id !== key) {
    rejectSql("id is the platform's own, and the key of every table; call this column otherwise", {
      location: id.location ?? 0,
    });
  }
}

/** Whether a column is one that every table has; refuses one that only has its name. */
function isOwn({ name, found, location }: Draft): boolean {
  const types = OWN.get(name.toLowerCase());
  if (!types) return false;
  if (types.includes(found.type)) return true;
  return rejectSql(
    `${name} is the platform's own, and of another type; call this column otherwise`,
    {
      location: location ?? 0,
    },
  );
}
