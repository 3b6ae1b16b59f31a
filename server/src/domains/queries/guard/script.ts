import { hasSqlDetails, type Node, parseSync } from "libpg-query";
import { inspectStatement } from "./guard.ts";
import { ALLOWED_STATEMENTS } from "./nodes.ts";
import {
  type GuardError,
  type SourcePosition,
  positionAt,
  PositionMap,
} from "./source-position.ts";
import { plainWordsOf } from "./nodes.ts";

/** One statement of a script. Positions within a node are bytes of the whole script. */
export type ScriptStatement = { readonly text: string; readonly at: SourcePosition } & (
  | { readonly does: "structure"; readonly node: Node }
  | {
      readonly does: "records";
      /** The tables that it names, its own common table expressions left out, unless it writes to one. */
      readonly relations: readonly string[];
      /** Those of them that it writes to. */
      readonly targets: readonly string[];
      /** Those of them that it deletes from. */
      readonly emptied: readonly string[];
    }
);

export type ScriptVerdict =
  | { readonly statements: readonly ScriptStatement[] }
  | { readonly complaints: readonly GuardError[] };

/** Those that somebody else translates, and that never run as they are. */
const OF_STRUCTURE = new Set([
  "CreateStmt",
  "AlterTableStmt",
  "RenameStmt",
  "DropStmt",
  "IndexStmt",
  "CommentStmt",
]);

/** After so many the rest is not read. */
const COMPLAINTS_MAX = 200;

/**
 * Judges a text of any number of statements that change tables or their records. What changes records
 * is judged as `inspect` does; of what changes tables only the kind is looked at here.
 */
export function inspectScript(sql: string): ScriptVerdict {
  if (sql.includes("\0") || !sql.isWellFormed()) return refused("holds what is no text", undefined);
  if (sql.trim() === "") return refused("there is no statement", undefined);
  const parsed = parse(sql);
  if (!Array.isArray(parsed)) return parsed;
  if (parsed.length === 0) return refused("there is no statement", undefined);
  const bytes = Buffer.from(sql);
  const places = new PositionMap(bytes);
  const statements: ScriptStatement[] = [];
  const complaints: GuardError[] = [];
  for (const { node, start, end } of parsed) {
    if (complaints.length >= COMPLAINTS_MAX) break;
    const raw = bytes.subarray(start, end).toString("utf8");
    // The parser counts what stands before a statement as its own.
    const lead = raw.length - raw.trimStart().length;
    const at = places.atByte(start + Buffer.byteLength(raw.slice(0, lead)));
    const one = judge(node, raw.trim(), at);
    if ("complaints" in one) {
      complaints.push(...one.complaints.map((complaint) => moved(complaint, places, at)));
    } else statements.push(one);
  }
  return complaints.length > 0 ? { complaints } : { statements };
}

function judge(
  node: Node,
  text: string,
  at: SourcePosition,
): ScriptStatement | { readonly complaints: readonly GuardError[] } {
  const [kind = ""] = Object.keys(node);
  if (OF_STRUCTURE.has(kind)) return { does: "structure", node, text, at };
  if (!ALLOWED_STATEMENTS.writing.has(kind))
    return refused(`${plainWordsOf(kind)} is not available here`, FIRST);
  const verdict = inspectStatement(text, "writing");
  if ("complaints" in verdict) return verdict;
  const [parameter] = verdict.parameters;
  if (parameter)
    return refused(`there is no value for the parameter $${parameter[0]}`, parameter[1]);
  const { targets, emptied, expressions } = verdict;
  const relations = [...verdict.relations.keys()].filter(
    (name) => targets.has(name) || !expressions.has(name),
  );
  return {
    does: "records",
    text,
    at,
    relations,
    targets: [...targets],
    emptied: [...emptied],
  };
}

const FIRST: SourcePosition = { position: 0, line: 1, column: 1 };

/** A complaint about one statement, where it is in the whole. */
function moved(
  { message, at }: GuardError,
  places: PositionMap,
  start: SourcePosition,
): GuardError {
  return { message, at: places.at(start.position + (at?.position ?? 0)) };
}

interface Parsed {
  readonly node: Node;
  readonly start: number;
  readonly end: number | undefined;
}

function parse(sql: string): Parsed[] | { readonly complaints: readonly GuardError[] } {
  try {
    return (parseSync(sql).stmts ?? []).flatMap(({ stmt, stmt_location: start = 0, stmt_len }) =>
      stmt ? [{ node: stmt, start, end: stmt_len ? start + stmt_len : undefined }] : [],
    );
  } catch (error) {
    if (!hasSqlDetails(error)) throw error;
    const position = error.sqlDetails?.cursorPosition ?? -1;
    return refused(error.message, position < 0 ? undefined : positionAt(sql, position));
  }
}

function refused(message: string, at: SourcePosition | undefined) {
  return { complaints: [{ message, at }] };
}
