import { hasSqlDetails, type Node, parseSync } from "libpg-query";
import { inspectStatement } from "./guard.ts";
import { ALLOWED_STATEMENTS } from "./nodes.ts";
import {
  type GuardError,
  type SourcePosition,
  positionAt,
  PositionMap,
} from "./source-position.ts";
import { nodeName } from "./nodes.ts";

/** One statement of a script. Positions within a node are bytes of the whole script. */
export type ScriptStatement = { readonly text: string; readonly at: SourcePosition } & (
  | { readonly kind: "structure"; readonly node: Node }
  | {
      readonly kind: "records";
      /** The tables that it names, its own common table expressions left out, unless it writes to one. */
      readonly relations: readonly string[];
      /** Those of them that it writes to. */
      readonly targets: readonly string[];
      /** Those of them that it deletes from. */
      readonly deletedFrom: readonly string[];
    }
);

export type ScriptResult =
  | { readonly statements: readonly ScriptStatement[] }
  | { readonly errors: readonly GuardError[] };

/** Those that somebody else translates, and that never run as they are. */
const STRUCTURE_STATEMENTS = new Set([
  "CreateStmt",
  "AlterTableStmt",
  "RenameStmt",
  "DropStmt",
  "IndexStmt",
  "CommentStmt",
]);

/** After so many the rest is not read. */
const ERRORS_MAX = 200;

/**
 * Judges a text of any number of statements that change tables or their records. What changes records
 * is judged as `inspect` does; of what changes tables only the kind is looked at here.
 */
export function inspectScript(sql: string): ScriptResult {
  if (sql.includes("\0") || !sql.isWellFormed())
    return rejected("holds what is no text", undefined);
  if (sql.trim() === "") return rejected("there is no statement", undefined);
  const parsed = parse(sql);
  if (!Array.isArray(parsed)) return parsed;
  if (parsed.length === 0) return rejected("there is no statement", undefined);
  const bytes = Buffer.from(sql);
  const positions = new PositionMap(bytes);
  const statements: ScriptStatement[] = [];
  const errors: GuardError[] = [];
  for (const { node, start, end } of parsed) {
    if (errors.length >= ERRORS_MAX) break;
    const raw = bytes.subarray(start, end).toString("utf8");
    // The parser counts what stands before a statement as its own.
    const leadingSpaces = raw.length - raw.trimStart().length;
    const at = positions.atByte(start + Buffer.byteLength(raw.slice(0, leadingSpaces)));
    const inspected = inspectScriptStatement(node, raw.trim(), at);
    if ("errors" in inspected) {
      errors.push(...inspected.errors.map((complaint) => relocateError(complaint, positions, at)));
    } else statements.push(inspected);
  }
  return errors.length > 0 ? { errors } : { statements };
}

function inspectScriptStatement(
  node: Node,
  text: string,
  at: SourcePosition,
): ScriptStatement | { readonly errors: readonly GuardError[] } {
  const [kind = ""] = Object.keys(node);
  if (STRUCTURE_STATEMENTS.has(kind)) return { kind: "structure", node, text, at };
  if (!ALLOWED_STATEMENTS.write.has(kind))
    return rejected(`${nodeName(kind)} is not available here`, FIRST);
  const verdict = inspectStatement(text, "write");
  if ("errors" in verdict) return verdict;
  const [parameter] = verdict.parameters;
  if (parameter)
    return rejected(`there is no value for the parameter $${parameter[0]}`, parameter[1]);
  const { targets, deletedFrom, expressions } = verdict;
  const relations = [...verdict.relations.keys()].filter(
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

/** A complaint about one statement, where it is in the whole. */
function relocateError(
  { message, at }: GuardError,
  positions: PositionMap,
  start: SourcePosition,
): GuardError {
  return { message, at: positions.at(start.position + (at?.position ?? 0)) };
}

interface ParsedStatement {
  readonly node: Node;
  readonly start: number;
  readonly end: number | undefined;
}

function parse(sql: string): ParsedStatement[] | { readonly errors: readonly GuardError[] } {
  try {
    return (parseSync(sql).stmts ?? []).flatMap(({ stmt, stmt_location: start = 0, stmt_len }) =>
      stmt ? [{ node: stmt, start, end: stmt_len ? start + stmt_len : undefined }] : [],
    );
  } catch (error) {
    if (!hasSqlDetails(error)) throw error;
    const position = error.sqlDetails?.cursorPosition ?? -1;
    return rejected(error.message, position < 0 ? undefined : positionAt(sql, position));
  }
}

function rejected(message: string, at: SourcePosition | undefined) {
  return { errors: [{ message, at }] };
}
