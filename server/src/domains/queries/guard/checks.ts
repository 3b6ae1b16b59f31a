/** Checks of single nodes of allowed kinds. */
import { type Findings, recordsOf, textOf, textsOf } from "./findings.ts";
import { CAST_TYPES, COLUMNS_OF_FUNCTIONS, FUNCTIONS, NAMED_BY_ALIAS, TIMES } from "./functions.ts";

/** The fields of a node. */
export type Struct = Readonly<Record<string, unknown>>;
type Check = (struct: Struct, byte: number, findings: Findings) => void;

/** The length of `char(n)`, which pads with blanks. */
const CHARACTERS_MAX = 10_000;

export const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["RangeVar", checkRelation],
  ["InsertStmt", noteWrite],
  ["UpdateStmt", noteWrite],
  ["DeleteStmt", noteDeletion],
  ["CommonTableExpr", checkExpression],
  ["FuncCall", checkFunction],
  ["RangeFunction", noteFunctionAsTable],
  ["JsonTable", noteJsonTable],
  ["TypeName", checkType],
  ["ColumnRef", checkColumn],
  ["A_Indirection", checkIndirection],
  ["A_Expr", ({ name }, byte, findings) => checkOperator(name, byte, findings)],
  ["SubLink", ({ operName }, byte, findings) => checkOperator(operName, byte, findings)],
  ["CollateClause", checkCollation],
  ["SQLValueFunction", checkTime],
  ["ParamRef", noteParameter],
]);

function checkRelation({ relname }: Struct, byte: number, findings: Findings): void {
  const name = textOf(relname);
  if (isReserved(name)) return findings.addError(`${name} is a system table of the database`, byte);
  findings.noteFirst(findings.relations, name, byte);
}

/** A target is always a table: PostgreSQL cannot write to a common table expression. */
function noteWrite({ relation }: Struct, _: number, findings: Findings): void {
  for (const { relname } of recordsOf(relation)) findings.targets.add(textOf(relname));
}

/** Deletes are recorded separately, because they may cascade to other tables. */
function noteDeletion(struct: Struct, byte: number, findings: Findings): void {
  noteWrite(struct, byte, findings);
  for (const { relname } of recordsOf(struct["relation"]))
    findings.deletedFrom.add(textOf(relname));
}

/** Outside its scope the name would be that of a catalog. */
function checkExpression({ ctename }: Struct, byte: number, findings: Findings): void {
  const name = textOf(ctename);
  if (isReserved(name)) findings.addError("names must not begin with pg_", byte);
  findings.expressions.add(name);
}

function isReserved(name: string): boolean {
  return name.startsWith("pg_");
}

function checkFunction({ funcname }: Struct, byte: number, findings: Findings): void {
  const name = ownName(funcname);
  if (name !== undefined && FUNCTIONS.has(name)) return;
  findings.addError(`the function ${textsOf(funcname).join(".")} is not available`, byte);
}

function checkType({ names, typmods }: Struct, byte: number, findings: Findings): void {
  const name = ownName(names);
  if (name === undefined || !CAST_TYPES.has(name)) {
    return findings.addError(`the type ${textsOf(names).join(".")} is not available`, byte);
  }
  const lengths = recordsOf(typmods).map(({ A_Const: constant }) => integerOf(constant));
  if (lengths.includes(undefined)) {
    findings.addError("the length of a type must be a number", byte);
  } else if (name === "bpchar" && lengths.some((length = 0) => length > CHARACTERS_MAX)) {
    findings.addError(`char(n) can have at most ${CHARACTERS_MAX} characters`, byte);
  }
}

/** Undefined if it is not an integer; the parser omits a zero. */
function integerOf(constant: unknown): number | undefined {
  const [number] = recordsOf(constant).flatMap(({ ival }) => recordsOf(ival));
  if (!number) return undefined;
  return typeof number["ival"] === "number" ? number["ival"] : 0;
}

/** A name from PostgreSQL's own schema, with or without the schema. */
function ownName(value: unknown): string | undefined {
  const [first, second, ...more] = textsOf(value);
  if (more.length > 0) return undefined;
  if (second === undefined) return first;
  return first === "pg_catalog" ? second : undefined;
}

function checkOperator(value: unknown, byte: number, findings: Findings): void {
  if (textsOf(value).length > 1) findings.addError("operators must not have a schema", byte);
}

function checkCollation({ collname }: Struct, byte: number, findings: Findings): void {
  if (ownName(collname) === undefined) {
    findings.addError("collations must not have a schema", byte);
  }
}

function checkTime({ op }: Struct, byte: number, findings: Findings): void {
  if (TIMES.has(textOf(op))) return;
  const name = textOf(op).replace("SVFOP_", "").toLowerCase();
  findings.addError(`${name} is not available`, byte);
}

function noteParameter({ number }: Struct, byte: number, findings: Findings): void {
  findings.noteFirst(findings.parameters, typeof number === "number" ? number : 0, byte);
}

function checkColumn({ fields }: Struct, byte: number, findings: Findings): void {
  const parts = recordsOf(fields);
  const [first = "", second] = textsOf(fields);
  if (parts.length > 2)
    findings.addError("column names must have the form column or table.column", byte);
  findings.names.add(second ?? first);
  if (second !== undefined) findings.qualifiedNames.push({ of: first, name: second, byte });
}

/** PostgreSQL also reads `(x).f` as the call `f(x)`, with any function. */
function checkIndirection({ indirection }: Struct, byte: number, findings: Findings): void {
  if (recordsOf(indirection).every((part) => "A_Indices" in part)) return;
  findings.addError(
    "only a subscript is allowed after parentheses; use table.column for a column",
    byte,
  );
}

/** Records a function in `from`. Other expressions there have unpredictable names. */
function noteFunctionAsTable(
  { functions, alias, coldeflist }: Struct,
  byte: number,
  findings: Findings,
): void {
  const called = recordsOf(functions)
    .flatMap(({ List: list }) => recordsOf(list).map(({ items }) => recordsOf(items)[0] ?? {}))
    .map(({ FuncCall: call }) => recordsOf(call).map(({ funcname }) => ownName(funcname))[0]);
  const names = called.filter((name) => name !== undefined);
  if (names.length < called.length) {
    return findings.addError("only tables, queries and functions can be selected from", byte);
  }
  const [{ aliasname, colnames } = {} as Struct] = recordsOf(alias);
  const columnNames = [...textsOf(colnames), ...definedColumns(coldeflist)];
  const named = columnNames.length === 0 && names.every((name) => NAMED_BY_ALIAS.has(name));
  const columns = new Set(named ? [textOf(aliasname)] : columnNames);
  const tables = aliasname === undefined ? names : [textOf(aliasname)];
  findings.functionsAsTables.push(...tables.map((name) => ({ name, columns })));
}

/** Records a `json_table`, whose columns are those that it declares, including nested ones. */
function noteJsonTable({ alias, columns }: Struct, _: number, findings: Findings): void {
  const [{ aliasname = "json_table", colnames } = {} as Struct] = recordsOf(alias);
  const names = new Set([...textsOf(colnames), ...jsonColumns(columns)]);
  findings.functionsAsTables.push({ name: textOf(aliasname), columns: names });
}

function jsonColumns(columns: unknown): string[] {
  return recordsOf(columns).flatMap(({ JsonTableColumn: column }) =>
    recordsOf(column).flatMap(({ name, columns: nested }) => [
      ...(name === undefined ? [] : [textOf(name)]),
      ...jsonColumns(nested),
    ]),
  );
}

function definedColumns(coldeflist: unknown): string[] {
  return recordsOf(coldeflist).flatMap(({ ColumnDef: definition }) =>
    recordsOf(definition).map(({ colname }) => textOf(colname)),
  );
}

/**
 * PostgreSQL also reads `x.f` as the call `f(x)` if x has no column f. For a row this is harmless, but if x stands
 * for the values of a function, `x.pg_read_file` reads a file. So only known columns of x and allowed functions may
 * follow.
 */
export function checkDotted(findings: Findings): void {
  for (const { of, name, byte } of findings.qualifiedNames) {
    if (FUNCTIONS.has(name) || COLUMNS_OF_FUNCTIONS.has(name)) continue;
    const isUnknown = findings.functionsAsTables.some(
      (table) => table.name === of && !table.columns.has(name),
    );
    if (isUnknown)
      findings.addError(`${of} refers to a function, which does not have a column ${name}`, byte);
  }
}
