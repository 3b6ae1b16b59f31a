/**
 * The allowed kinds of nodes in a statement, each with all its allowed fields. All others are rejected, including
 * those that a later parser version adds.
 */

/** The fields of a kind of node, by how the walk handles them. */
export interface NodeKind {
  /** Words, numbers and other harmless scalars. */
  readonly plain: ReadonlySet<string>;
  /** Further nodes that name their kind. */
  readonly nodes: ReadonlySet<string>;
  /** Nodes of a known kind that do not name it. */
  readonly bare: ReadonlyMap<string, string>;
}

function kind(
  plain: string,
  nodes = "",
  bare: Readonly<Record<string, string>> = {},
): Readonly<NodeKind> {
  return {
    plain: new Set(["location", ...words(plain)]),
    nodes: new Set(words(nodes)),
    bare: new Map(Object.entries(bare)),
  };
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}

const ALIAS = { alias: "Alias" };
const WITH = { withClause: "WithClause" };

/** The nodes of SQL/JSON: constructors, `json_value` and similar functions, and `json_table`. */
function jsonNodes(): Readonly<Record<string, NodeKind>> {
  const output = { output: "JsonOutput" };
  const format = { format: "JsonFormat" };
  const fallbacks = { on_empty: "JsonBehavior", on_error: "JsonBehavior" };
  return {
    JsonFormat: kind("format_type encoding"),
    JsonReturning: kind("typid typmod", "", format),
    JsonOutput: kind("", "", { typeName: "TypeName", returning: "JsonReturning" }),
    JsonBehavior: kind("btype coerce", "expr"),
    JsonValueExpr: kind("", "raw_expr", format),
    JsonArgument: kind("name", "", { val: "JsonValueExpr" }),
    JsonKeyValue: kind("", "key", { value: "JsonValueExpr" }),
    JsonFuncExpr: kind("op column_name wrapper quotes", "pathspec passing", {
      context_item: "JsonValueExpr",
      ...output,
      ...fallbacks,
    }),
    JsonTable: kind("lateral", "passing columns", {
      context_item: "JsonValueExpr",
      pathspec: "JsonTablePathSpec",
      on_error: "JsonBehavior",
      ...ALIAS,
    }),
    JsonTablePathSpec: kind("name name_location", "string"),
    JsonTableColumn: kind("coltype name wrapper quotes", "columns", {
      typeName: "TypeName",
      pathspec: "JsonTablePathSpec",
      ...format,
      ...fallbacks,
    }),
    JsonObjectConstructor: kind("absent_on_null unique", "exprs", output),
    JsonArrayConstructor: kind("absent_on_null", "exprs", output),
    JsonArrayQueryConstructor: kind("absent_on_null", "query", { ...output, ...format }),
    JsonAggConstructor: kind("", "agg_filter agg_order", { over: "WindowDef", ...output }),
    JsonObjectAgg: kind("absent_on_null unique", "", {
      constructor: "JsonAggConstructor",
      arg: "JsonKeyValue",
    }),
    JsonArrayAgg: kind("absent_on_null", "", {
      constructor: "JsonAggConstructor",
      arg: "JsonValueExpr",
    }),
    JsonIsPredicate: kind("item_type unique_keys", "expr", format),
    JsonParseExpr: kind("unique_keys", "", { expr: "JsonValueExpr", ...output }),
    JsonScalarExpr: kind("", "expr", output),
    JsonSerializeExpr: kind("", "", { expr: "JsonValueExpr", ...output }),
  };
}

const readNodes: Readonly<Record<string, NodeKind>> = {
  SelectStmt: kind(
    "groupDistinct limitOption op all",
    "distinctClause targetList fromClause whereClause groupClause havingClause windowClause " +
      "valuesLists sortClause limitOffset limitCount",
    { larg: "SelectStmt", rarg: "SelectStmt", ...WITH },
  ),
  WithClause: kind("recursive", "ctes"),
  CommonTableExpr: kind("ctename ctematerialized", "aliascolnames ctequery", {
    search_clause: "CTESearchClause",
    cycle_clause: "CTECycleClause",
  }),
  CTESearchClause: kind("search_breadth_first search_seq_column", "search_col_list"),
  CTECycleClause: kind(
    "cycle_mark_column cycle_path_column",
    "cycle_col_list cycle_mark_value cycle_mark_default",
  ),
  ResTarget: kind("name", "val"),
  RangeVar: kind("relname inh relpersistence", "", ALIAS),
  RangeSubselect: kind("lateral", "subquery", ALIAS),
  RangeFunction: kind("lateral ordinality is_rowsfrom", "functions coldeflist", ALIAS),
  ColumnDef: kind("colname is_local", "", { typeName: "TypeName", collClause: "CollateClause" }),
  JoinExpr: kind("jointype isNatural", "larg rarg usingClause quals", {
    join_using_alias: "Alias",
    ...ALIAS,
  }),
  Alias: kind("aliasname", "colnames"),
  SortBy: kind("sortby_dir sortby_nulls", "node"),
  GroupingSet: kind("kind", "content"),
  GroupingFunc: kind("", "args"),
  WindowDef: kind("name refname frameOptions", "partitionClause orderClause startOffset endOffset"),
  List: kind("", "items"),
  String: kind("sval"),
  Integer: kind("ival"),
  A_Star: kind(""),
  A_Const: kind("ival fval sval boolval bsval isnull"),
  ParamRef: kind("number"),
  ColumnRef: kind("", "fields"),
  A_Expr: kind("kind rexpr_list_start rexpr_list_end", "name lexpr rexpr"),
  BoolExpr: kind("boolop", "args"),
  NullTest: kind("nulltesttype", "arg"),
  BooleanTest: kind("booltesttype", "arg"),
  CaseExpr: kind("", "arg args defresult"),
  CaseWhen: kind("", "expr result"),
  CoalesceExpr: kind("", "args"),
  MinMaxExpr: kind("op", "args"),
  FuncCall: kind(
    "agg_within_group agg_star agg_distinct func_variadic funcformat",
    "funcname args agg_order agg_filter",
    { over: "WindowDef" },
  ),
  NamedArgExpr: kind("name argnumber", "arg"),
  SQLValueFunction: kind("op typmod"),
  TypeCast: kind("", "arg", { typeName: "TypeName" }),
  TypeName: kind("typemod", "names typmods arrayBounds"),
  CollateClause: kind("", "arg collname"),
  SubLink: kind("subLinkType", "testexpr operName subselect"),
  A_ArrayExpr: kind("list_start list_end", "elements"),
  A_Indirection: kind("", "arg indirection"),
  A_Indices: kind("is_slice", "lidx uidx"),
  RowExpr: kind("row_format", "args"),
  ...jsonNodes(),
};

const RELATION = { relation: "RangeVar", ...WITH };

const writeNodes: Readonly<Record<string, NodeKind>> = {
  ...readNodes,
  InsertStmt: kind("override", "cols selectStmt", {
    ...RELATION,
    onConflictClause: "OnConflictClause",
  }),
  UpdateStmt: kind("", "targetList whereClause fromClause", RELATION),
  DeleteStmt: kind("", "usingClause whereClause", RELATION),
  OnConflictClause: kind("action", "targetList whereClause", { infer: "InferClause" }),
  InferClause: kind("", "indexElems whereClause"),
  IndexElem: kind("name ordering nulls_ordering"),
  MultiAssignRef: kind("colno ncolumns", "source"),
  SetToDefault: kind(""),
};

/** Statements that only read, or that change records too. */
export type NodeRule = "read" | "write";

export const ALLOWED_NODES: Readonly<Record<NodeRule, ReadonlyMap<string, NodeKind>>> = {
  read: new Map(Object.entries(readNodes)),
  write: new Map(Object.entries(writeNodes)),
};

/** The allowed kinds of statements. */
export const ALLOWED_STATEMENTS: Readonly<Record<NodeRule, ReadonlySet<string>>> = {
  read: new Set(["SelectStmt"]),
  write: new Set(["InsertStmt", "UpdateStmt", "DeleteStmt"]),
};

const STATEMENT_NAMES: ReadonlyMap<string, string> = new Map([
  ["SelectStmt.intoClause", "SELECT INTO"],
  ["SelectStmt.lockingClause", "FOR UPDATE or FOR SHARE"],
  ["SortBy.useOp", "ORDER BY … USING"],
  ["RangeTableSample", "TABLESAMPLE"],
  ["RangeTableFunc", "XMLTABLE"],
  ["VariableSetStmt", "SET"],
  ["VariableShowStmt", "SHOW"],
  ["TransactionStmt", "a statement about transactions"],
  ["DoStmt", "DO"],
  ["XmlExpr", "XML"],
  ["XmlSerialize", "XML"],
]);

/** The SQL name of a kind of node, or of one of its fields. */
export function nodeName(name: string): string {
  const known = STATEMENT_NAMES.get(name);
  if (known !== undefined) return known;
  return name
    .replace(/^\w+\.(?=\w+Clause$)/, "")
    .replace(/(Stmt|Clause|Expr)$/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}
