/**
 * The first wall between a person's SQL and the database: the text is read by PostgreSQL's own parser,
 * and what is not known to be harmless is refused.
 */
import { hasSqlDetails, parseSync } from "libpg-query";
import { checkDotted, checks, type Struct } from "./checks.ts";
import { Findings, recordsOf, textOf } from "./findings.ts";
import { type NodeRule, ALLOWED_NODES, nodeName, ALLOWED_STATEMENTS } from "./nodes.ts";
import { type GuardError, type SourcePosition, positionAt } from "./source-position.ts";

/** So deep may a statement be nested; the server's own stack ends a little later. */
const DEPTH_MAX = 400;

/** Looks at every node of a statement: whether it may be there, and what it speaks of. */
function walk(statement: unknown, rule: NodeRule, findings: Findings): void {
  const kinds = ALLOWED_NODES[rule];

  const visit = (value: unknown, nearest: number, depth: number): void => {
    for (const member of recordsOf(value)) {
      // An empty place in a list, such as the expressions of a plain `distinct`.
      for (const [kind, struct] of Object.entries(member)) {
        for (const fields of recordsOf(struct)) enter(kind, fields, { nearest, depth });
      }
    }
  };

  const enter = (
    name: string,
    struct: Struct,
    { nearest, depth }: { readonly nearest: number; readonly depth: number },
  ): void => {
    if (findings.isFull) return;
    const { location } = struct;
    const at = typeof location === "number" && location >= 0 ? location : nearest;
    const kind = kinds.get(name);
    if (!kind) return findings.addError(`${nodeName(name)} is not available here`, at);
    if (depth > DEPTH_MAX) return findings.addError("this is nested too deeply", at);
    checks.get(name)?.(struct, at, findings);
    for (const [field, value] of Object.entries(struct)) {
      if (kind.plain.has(field)) continue;
      const bare = kind.bare.get(field);
      if (kind.nodes.has(field)) visit(value, at, depth + 1);
      else if (bare === undefined) refuse(name, field, { value, at });
      else
        for (const fields of recordsOf(value))
          enter(bare, fields, { nearest: at, depth: depth + 1 });
    }
  };

  const refuse = (
    name: string,
    field: string,
    { value, at }: { readonly value: unknown; readonly at: number },
  ): void => {
    if (field === "schemaname" || field === "catalogname") {
      findings.addError(
        `${textOf(value)} is a schema; a table is named by its slug alone, and only those of this ` +
          "workspace and environment can be read",
        at,
      );
    } else findings.addError(`${nodeName(`${name}.${field}`)} is not available here`, at);
  };

  visit(statement, 0, 0);
}

/** A statement that may be run, and what it speaks of. */
export interface Inspection {
  /** Without the semicolon, and what stands before and after. */
  readonly text: string;
  /** How many characters of what the person wrote stand before it. */
  readonly offset: number;
  /** The tables and common table expressions that are named, and where first. */
  readonly relations: ReadonlyMap<string, SourcePosition>;
  /** The tables among them that it writes to. */
  readonly targets: ReadonlySet<string>;
  /** The tables among those that it deletes from. */
  readonly deletedFrom: ReadonlySet<string>;
  /** Its own common table expressions. */
  readonly expressions: ReadonlySet<string>;
  /** What columns are called in it, whatever they belong to. */
  readonly names: ReadonlySet<string>;
  /** The numbers of its parameters, and where each is first. */
  readonly parameters: ReadonlyMap<number, SourcePosition>;
}

export type GuardResult = Inspection | { readonly errors: readonly GuardError[] };

/**
 * Judges a text that is to be one statement. What the parser throws for another reason than the text
 * (it is out of its stack) comes out: then the parser is of no use any more.
 */
export function inspectStatement(sql: string, rule: NodeRule): GuardResult {
  // The parser would see a text that ends there.
  if (sql.includes("\0") || !sql.isWellFormed())
    return rejected("holds what is no text", undefined);
  if (sql.trim() === "") return rejected("there is no statement", undefined);
  const bytes = Buffer.from(sql);
  const parsed = parse(sql);
  if ("errors" in parsed) return parsed;
  const [first, second] = parsed.statements;
  if (!first) return rejected("there is no statement", undefined);
  const findings = new Findings(bytes);
  if (second) {
    return rejected(
      "only one statement can be run",
      findings.positionAt(second.stmt_location ?? 0),
    );
  }
  const start = first.stmt_location ?? 0;
  const [kind = ""] = Object.keys(recordsOf(first.stmt)[0] ?? {});
  if (!ALLOWED_STATEMENTS[rule].has(kind)) {
    return rejected(`${nodeName(kind)} is not available here`, findings.positionAt(start));
  }
  walk(first.stmt, rule, findings);
  checkDotted(findings);
  if (findings.errors.length > 0) return { errors: findings.errors };
  const { relations, targets, deletedFrom, expressions, names, parameters } = findings;
  const text = bytes.subarray(start, first.stmt_len ? start + first.stmt_len : undefined);
  const offset = findings.positionAt(start).position;
  return {
    text: text.toString("utf8"),
    offset,
    relations,
    targets,
    deletedFrom,
    expressions,
    names,
    parameters,
  };
}

interface RawStatement {
  readonly stmt?: unknown;
  readonly stmt_location?: number;
  readonly stmt_len?: number;
}

function parse(
  sql: string,
): { readonly statements: readonly RawStatement[] } | { readonly errors: readonly GuardError[] } {
  try {
    return { statements: parseSync(sql).stmts ?? [] };
  } catch (error) {
    if (!hasSqlDetails(error)) throw error;
    const position = error.sqlDetails?.cursorPosition ?? -1;
    return rejected(error.message, position < 0 ? undefined : positionAt(sql, position));
  }
}

function rejected(message: string, at: SourcePosition | undefined) {
  return { errors: [{ message, at }] };
}
