import type { Node } from "libpg-query";
import { inspectStatement } from "./guard.ts";
import { ALLOWED_STATEMENTS, nodeName } from "./nodes.ts";
import { parseSql } from "./parse-sql.ts";
import {
  type GuardError,
  guardError,
  type GuardErrors,
  PositionMap,
  type SourcePosition,
} from "./source-position.ts";

/** One statement of a script. Positions within a node are byte offsets in the entire script. */
export type ScriptStatement = { readonly text: string; readonly at: SourcePosition } & (
  | { readonly kind: "structure"; readonly node: Node }
  | {
      readonly kind: "records";
      /** The tables in it, without its own common table expressions unless it writes to one. */
      readonly relations: readonly string[];
      /** The tables that it writes to. */
      readonly targets: readonly string[];
      /** The tables that it deletes from. */
      readonly deletedFrom: readonly string[];
    }
);

export type ScriptResult = { readonly statements: readonly ScriptStatement[] } | GuardErrors;

/** Statements that migrations translate, and that are never executed directly. */
const STRUCTURE_STATEMENTS = new Set([
  "CreateStmt",
  "AlterTableStmt",
  "RenameStmt",
  "DropStmt",
  "IndexStmt",
  "CommentStmt",
]);

/** The number of errors after which inspection stops. */
const ERRORS_MAX = 200;

/**
 * Inspects a text of several statements that change tables or records. Statements that change records are inspected
 * like in `inspectStatement`; for those that change tables, only the kind is checked.
 */
export function inspectScript(sql: string): ScriptResult {
  const parsed = parseSql(sql);
  if ("errors" in parsed) return parsed;
  const bytes = Buffer.from(sql);
  const positions = new PositionMap(bytes);
  const statements: ScriptStatement[] = [];
  const errors: GuardError[] = [];
  for (const { node, start, end } of parsed.statements) {
    if (errors.length >= ERRORS_MAX) break;
    const raw = bytes.subarray(start, end).toString("utf8");
    // The parser counts the space before a statement as its own.
    const leadingSpaces = raw.length - raw.trimStart().length;
    const at = positions.atByte(start + Buffer.byteLength(raw.slice(0, leadingSpaces)));
    const inspected = inspectScriptStatement(node, raw.trim(), at);
    if ("errors" in inspected) {
      errors.push(...inspected.errors.map((error) => relocateError(error, positions, at)));
    } else statements.push(inspected);
  }
  return errors.length > 0 ? { errors } : { statements };
}

function inspectScriptStatement(
  node: Node,
  text: string,
  at: SourcePosition,
): ScriptStatement | GuardErrors {
  const [kind = ""] = Object.keys(node);
  if (STRUCTURE_STATEMENTS.has(kind)) return { kind: "structure", node, text, at };
  if (!ALLOWED_STATEMENTS.write.has(kind))
    return guardError(`${nodeName(kind)} is not available`, FIRST);
  const inspection = inspectStatement(text, "write");
  if ("errors" in inspection) return inspection;
  const [parameter] = inspection.parameters;
  if (parameter) return guardError(`the parameter $${parameter[0]} has no value`, parameter[1]);
  const { targets, deletedFrom, expressions } = inspection;
  const relations = [...inspection.relations.keys()].filter(
    (name) => targets.has(name) || !expressions.has(name),
  );
  return {
    kind: "records",
    text,
    at,
    relations,
    targets: [...targets],
    deletedFrom: [...deletedFrom],
  };
}

const FIRST: SourcePosition = { position: 0, line: 1, column: 1 };

/** An error in one statement, with its position in the entire script. */
function relocateError(
  { message, at }: GuardError,
  positions: PositionMap,
  start: SourcePosition,
): GuardError {
  return { message, at: positions.at(start.position + (at?.position ?? 0)) };
}
