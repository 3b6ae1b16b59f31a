/**
 * The guard between user SQL and the database: PostgreSQL's own parser reads the text, and everything that is not
 * known to be harmless is rejected.
 */
import { checkDotted, checks, type Struct } from "./checks.ts";
import { Findings, recordsOf, textOf } from "./findings.ts";
import { type NodeRule, ALLOWED_NODES, nodeName, ALLOWED_STATEMENTS } from "./nodes.ts";
import { parseSql } from "./parse-sql.ts";
import { guardError, type GuardErrors, type SourcePosition } from "./source-position.ts";

/** An allowed statement, and the names in it. */
export interface Inspection {
  /** Without the semicolon, and the text before and after. */
  readonly text: string;
  /** The characters of the person's text before it. */
  readonly offset: number;
  /** The tables and common table expressions in it, each with its first position. */
  readonly relations: ReadonlyMap<string, SourcePosition>;
  /** The tables among them that it writes to. */
  readonly targets: ReadonlySet<string>;
  /** The tables among them that it deletes from. */
  readonly deletedFrom: ReadonlySet<string>;
  /** Its own common table expressions. */
  readonly expressions: ReadonlySet<string>;
  /** The column names in it, of any relation. */
  readonly names: ReadonlySet<string>;
  /** The numbers of its parameters, each with its first position. */
  readonly parameters: ReadonlyMap<number, SourcePosition>;
}

export type GuardResult = Inspection | GuardErrors;

/** Inspects a text that must contain exactly one statement. */
export function inspectStatement(sql: string, rule: NodeRule): GuardResult {
  const parsed = parseSql(sql);
  if ("errors" in parsed) return parsed;
  const [first, second] = parsed.statements;
  if (!first) return guardError("the statement is empty");
  const bytes = Buffer.from(sql);
  const findings = new Findings(bytes);
  if (second) {
    return guardError("only one statement can be run", findings.positionAt(second.start));
  }
  const { node, start, end } = first;
  const [kind = ""] = Object.keys(node);
  if (!ALLOWED_STATEMENTS[rule].has(kind)) {
    return guardError(`${nodeName(kind)} is not available`, findings.positionAt(start));
  }
  walk(node, rule, findings);
  checkDotted(findings);
  if (findings.errors.length > 0) return { errors: findings.errors };
  const { relations, targets, deletedFrom, expressions, names, parameters } = findings;
  return {
    text: bytes.subarray(start, end).toString("utf8"),
    offset: findings.positionAt(start).position,
    relations,
    targets,
    deletedFrom,
    expressions,
    names,
    parameters,
  };
}

/** The maximum nesting of a statement, slightly below the limit of the server's stack. */
const DEPTH_MAX = 400;

/** Walks the nodes of a statement: rejects disallowed ones, and records the names in the others. */
function walk(statement: unknown, rule: NodeRule, findings: Findings): void {
  const kinds = ALLOWED_NODES[rule];

  const visit = (value: unknown, nearest: number, depth: number): void => {
    for (const member of recordsOf(value)) {
      // Empty for a gap in a list, such as the expressions of a plain `distinct`.
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
    if (!kind) return findings.addError(`${nodeName(name)} is not available`, at);
    if (depth > DEPTH_MAX) return findings.addError("this has too many levels of nesting", at);
    checks.get(name)?.(struct, at, findings);
    for (const [field, value] of Object.entries(struct)) {
      if (kind.plain.has(field)) continue;
      const bare = kind.bare.get(field);
      if (kind.nodes.has(field)) visit(value, at, depth + 1);
      else if (bare === undefined) rejectField(name, field, { value, at });
      else
        for (const fields of recordsOf(value))
          enter(bare, fields, { nearest: at, depth: depth + 1 });
    }
  };

  const rejectField = (
    name: string,
    field: string,
    { value, at }: { readonly value: unknown; readonly at: number },
  ): void => {
    if (field === "schemaname" || field === "catalogname") {
      findings.addError(
        `${textOf(value)} is a schema. Use only the slug of a table of this workspace and environment`,
        at,
      );
    } else findings.addError(`${nodeName(`${name}.${field}`)} is not available`, at);
  };

  visit(statement, 0, 0);
}
