import { expect, test } from "vitest";
import { nodeName } from "./nodes.ts";

test.each([
  ["SelectStmt.intoClause", "SELECT INTO"],
  ["InsertStmt.returningClause", "RETURNING"],
  ["UpdateStmt.withClause", "WITH"],
  ["InsertStmt.onConflictClause", "ON CONFLICT"],
  ["TruncateStmt", "TRUNCATE"],
  ["CurrentOfExpr", "CURRENT OF"],
])("the node %s is named %s", (name, words) => {
  expect(nodeName(name)).toBe(words);
});
