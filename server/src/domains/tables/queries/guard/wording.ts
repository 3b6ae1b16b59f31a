const WORDS: ReadonlyMap<string, string> = new Map([
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

/** What the parser calls a kind of node, or a field of it, as people do. */
export function plainWordsOf(name: string): string {
  const known = WORDS.get(name);
  if (known !== undefined) return known;
  return name
    .replace(/^\w+\.(?=\w+Clause$)/, "")
    .replace(/(Stmt|Clause)$/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}
