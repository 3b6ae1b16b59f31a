/**
 * The first wall between a person's SQL and the database: the text is read by PostgreSQL's own parser,
 * and what is not known to be harmless is refused.
 */
import { hasSqlDetails, parseSync } from "libpg-query";
import { checkDotted } from "./checks.ts";
import { Findings, recordsOf } from "./findings.ts";
import { type Liberty, STATEMENTS } from "./nodes.ts";
import { type Complaint, type Place, placeAt } from "./source-position.ts";
import { walk } from "#domains/tables/queries/guard/walk.ts";
import { plainWordsOf } from "#domains/tables/queries/guard/wording.ts";

/** A statement that may be run, and what it speaks of. */
export interface Inspection {
  /** Without the semicolon, and what stands before and after. */
  readonly text: string;
  /** How many characters of what the person wrote stand before it. */
  readonly offset: number;
  /** The tables and common table expressions that are named, and where first. */
  readonly relations: ReadonlyMap<string, Place>;
  /** The tables among them that it writes to. */
  readonly targets: ReadonlySet<string>;
  /** The tables among those that it deletes from. */
  readonly emptied: ReadonlySet<string>;
  /** Its own common table expressions. */
  readonly expressions: ReadonlySet<string>;
  /** What columns are called in it, whatever they belong to. */
  readonly names: ReadonlySet<string>;
  /** The numbers of its parameters, and where each is first. */
  readonly parameters: ReadonlyMap<number, Place>;
}

export type Verdict = Inspection | { readonly complaints: readonly Complaint[] };

/**
 * Judges a text that is to be one statement. What the parser throws for another reason than the text
 * (it is out of its stack) comes out: then the parser is of no use any more.
 */
export function inspect(sql: string, liberty: Liberty): Verdict {
  // The parser would see a text that ends there.
  if (sql.includes("\0") || !sql.isWellFormed()) return refused("holds what is no text", undefined);
  if (sql.trim() === "") return refused("there is no statement", undefined);
  const bytes = Buffer.from(sql);
  const parsed = parse(sql);
  if ("complaints" in parsed) return parsed;
  const [raw, second] = parsed.statements;
  if (!raw) return refused("there is no statement", undefined);
  const findings = new Findings(bytes);
  if (second) {
    return refused("only one statement can be run", findings.place(second.stmt_location ?? 0));
  }
  const start = raw.stmt_location ?? 0;
  const [kind = ""] = Object.keys(recordsOf(raw.stmt)[0] ?? {});
  if (!STATEMENTS[liberty].has(kind)) {
    return refused(`${plainWordsOf(kind)} is not available here`, findings.place(start));
  }
  walk(raw.stmt, liberty, findings);
  checkDotted(findings);
  if (findings.complaints.length > 0) return { complaints: findings.complaints };
  const { relations, targets, emptied, expressions, names, parameters } = findings;
  const text = bytes.subarray(start, raw.stmt_len ? start + raw.stmt_len : undefined);
  const offset = findings.place(start).position;
  return {
    text: text.toString("utf8"),
    offset,
    relations,
    targets,
    emptied,
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
):
  | { readonly statements: readonly RawStatement[] }
  | { readonly complaints: readonly Complaint[] } {
  try {
    return { statements: parseSync(sql).stmts ?? [] };
  } catch (error) {
    if (!hasSqlDetails(error)) throw error;
    const position = error.sqlDetails?.cursorPosition ?? -1;
    return refused(error.message, position < 0 ? undefined : placeAt(sql, position));
  }
}

function refused(message: string, at: Place | undefined) {
  return { complaints: [{ message, at }] };
}
