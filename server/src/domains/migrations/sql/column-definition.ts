import type { ColumnDef, Constraint, Node } from "libpg-query";
import type { OnDelete, NewColumn } from "#domains/tables/index.ts";
import { textOf, textsOf } from "#domains/queries/index.ts";
import { type ColumnCheck, parseChecks, resolveBounds } from "./check-clause.ts";
import { parseDefault } from "./constant.ts";
import { parseNumber, rejectSql, rejectSqlIf, tableSlug } from "./sql-error.ts";
import { type ParsedType, toColumnType } from "./type-name.ts";

/** A column that is being built: table constraints add to it. */
export interface ColumnDraft {
  readonly name: string;
  readonly location: number | undefined;
  found: ParsedType;
  required: boolean;
  unique: boolean;
  primary: boolean;
  defaultExpression: Node | undefined;
}

/** Parses a column with its constraints. */
export function parseColumnDefinition(definition: ColumnDef): ColumnDraft {
  const { colname, typeName, collClause, constraints = [], location } = definition;
  rejectSqlIf(definition, {
    compression: "COMPRESSION",
    storage_name: "STORAGE",
    fdwoptions: "OPTIONS",
  });
  if (collClause && textsOf(collClause.collname).join() !== "C") {
    rejectSql('text columns only support COLLATE "C"', collClause);
  }
  const found = toColumnType(typeName);
  const draft: ColumnDraft = {
    name: textOf(colname),
    location,
    found,
    required: false,
    unique: false,
    primary: false,
    defaultExpression: undefined,
  };
  for (const node of constraints) {
    if (!("Constraint" in node)) return rejectSql("this constraint is not available", definition);
    applyConstraint(draft, node.Constraint);
  }
  return draft;
}

export function toColumn({
  name,
  found,
  required,
  unique,
  primary,
  defaultExpression,
}: ColumnDraft): NewColumn {
  const { type } = found;
  const options = resolveBounds(type, found.options);
  const value = parseDefault(defaultExpression, type);
  return {
    name,
    type,
    ...((required || primary) && type !== "autonumber" && { required: true }),
    ...((unique || primary) && { unique: true }),
    ...(value !== null && { default: value }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

export function addCheck(draft: ColumnDraft, { options, type }: ColumnCheck): void {
  draft.found = withCheck(draft.found, { options, ...(type && { type }) });
}

/** A type with the options of a check. */
export function withCheck(
  { type, options }: ParsedType,
  check: Pick<ColumnCheck, "options" | "type">,
): ParsedType {
  if (check.type === undefined) return { type, options: { ...options, ...check.options } };
  if (type !== "text" && type !== "enum")
    rejectSql("a list of strings is only allowed for a text column");
  return { type: check.type, options: check.options };
}

export function setReference(draft: ColumnDraft, constraint: Constraint): void {
  draft.found = parseReference(constraint);
}

/** Parses a foreign key, which can only refer to record ids. */
export function parseReference(constraint: Constraint): ParsedType {
  const { pktable, pk_attrs, fk_matchtype, fk_del_action } = constraint;
  rejectSqlIf(constraint, {
    fk_del_set_cols: "SET NULL of some columns",
    fk_with_period: "PERIOD",
  });
  const table = tableSlug(pktable);
  const columns = textsOf(pk_attrs);
  if (columns.length > 1 || (columns[0] ?? "id") !== "id") {
    rejectSql("a reference must refer to the id of a record", constraint);
  }
  if (fk_matchtype === "f") rejectSql("MATCH FULL is not available", constraint);
  const onDelete = ON_DELETE.get(textOf(fk_del_action));
  if (onDelete === undefined) rejectSql("ON DELETE SET DEFAULT is not available", constraint);
  return { type: "reference", options: table === "users" ? { table } : { table, onDelete } };
}

const ON_DELETE: ReadonlyMap<string, OnDelete> = new Map([
  ["a", "restrict"],
  ["r", "restrict"],
  ["n", "set_null"],
  ["c", "cascade"],
]);

/** Rejects constraints that are deferred or do not check all records. */
export function rejectDeferred(constraint: Constraint): void {
  rejectSqlIf(constraint, {
    deferrable: "DEFERRABLE",
    initdeferred: "INITIALLY DEFERRED",
    skip_validation: "NOT VALID",
    nulls_not_distinct: "NULLS NOT DISTINCT",
    without_overlaps: "WITHOUT OVERLAPS",
    including: "INCLUDE",
    indexname: "USING INDEX",
    indexspace: "TABLESPACE",
  });
  const { contype, is_enforced, options = [] } = constraint;
  if (contype !== "CONSTR_IDENTITY" && options.length > 0) {
    rejectSql("WITH is not available", constraint);
  }
  const isCheck = contype === "CONSTR_CHECK" || contype === "CONSTR_FOREIGN";
  if (isCheck && is_enforced === false) rejectSql("NOT ENFORCED is not available", constraint);
}

function applyConstraint(draft: ColumnDraft, constraint: Constraint): void {
  const add = CONSTRAINTS.get(constraint.contype ?? "");
  if (!add) rejectSql("this constraint is not available", constraint);
  rejectDeferred(constraint);
  add(draft, constraint);
}

const CONSTRAINTS: ReadonlyMap<string, (draft: ColumnDraft, constraint: Constraint) => void> =
  new Map([
    ["CONSTR_NULL", () => undefined],
    ["CONSTR_NOTNULL", (draft: ColumnDraft) => void (draft.required = true)],
    ["CONSTR_UNIQUE", (draft: ColumnDraft) => void (draft.unique = true)],
    ["CONSTR_PRIMARY", (draft: ColumnDraft) => void (draft.primary = true)],
    [
      "CONSTR_DEFAULT",
      (draft: ColumnDraft, { raw_expr }: Constraint) => void (draft.defaultExpression = raw_expr),
    ],
    ["CONSTR_CHECK", applyChecks],
    ["CONSTR_FOREIGN", setReference],
    [
      "CONSTR_IDENTITY",
      (draft: ColumnDraft, constraint: Constraint) =>
        void (draft.found = parseIdentity(constraint)),
    ],
  ]);

function applyChecks(draft: ColumnDraft, { raw_expr }: Constraint): void {
  for (const check of parseChecks(raw_expr)) {
    if (check.column !== draft.name)
      rejectSql(
        "a check of another column must be a separate constraint",
        draft as { location?: number },
      );
    addCheck(draft, check);
  }
}

/** Parses an identity column, which becomes an autonumber column. */
function parseIdentity({ options = [], location = 0 }: Constraint): ParsedType {
  const start = options.map((option) => {
    const { defname, arg } = "DefElem" in option ? option.DefElem : {};
    const value = arg && "Integer" in arg ? (arg.Integer.ival ?? 0) : parseNumber(arg);
    if (defname !== "start" || value === undefined) {
      rejectSql("a sequence only supports START WITH", { location });
    }
    return value;
  });
  return { type: "autonumber", options: start[0] === undefined ? {} : { start: start[0] } };
}
