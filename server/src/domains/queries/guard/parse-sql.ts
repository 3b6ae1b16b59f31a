import { hasSqlDetails, type Node, parseSync } from "libpg-query";
import { guardError, type GuardErrors, positionAt } from "./source-position.ts";

/** A statement in a text; `start` and `end` are byte offsets, `end` is undefined at the end of the text. */
export interface ParsedStatement {
  readonly node: Node;
  readonly start: number;
  readonly end: number | undefined;
}

/**
 * Parses a text with at least one statement. Throws parser errors that are not about the text, such as a stack
 * overflow: the parser is unusable afterwards.
 */
export function parseSql(
  sql: string,
): { readonly statements: readonly ParsedStatement[] } | GuardErrors {
  // To the parser, the text would end at NUL.
  if (sql.includes("\0") || !sql.isWellFormed())
    return guardError("contains characters that are not valid text");
  const parsed = sql.trim() === "" ? [] : parse(sql);
  if ("errors" in parsed) return parsed;
  return parsed.length === 0 ? guardError("the statement is empty") : { statements: parsed };
}

function parse(sql: string): ParsedStatement[] | GuardErrors {
  try {
    return (parseSync(sql).stmts ?? []).flatMap(({ stmt, stmt_location: start = 0, stmt_len }) =>
      stmt ? [{ node: stmt, start, end: stmt_len ? start + stmt_len : undefined }] : [],
    );
  } catch (error) {
    if (!hasSqlDetails(error)) throw error;
    const position = error.sqlDetails?.cursorPosition ?? -1;
    return guardError(error.message, position < 0 ? undefined : positionAt(sql, position));
  }
}
