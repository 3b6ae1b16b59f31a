import type { FieldError } from "#kernel/operation/failure.ts";
import {
  describePosition,
  PositionMap,
  readScript,
  type ScriptStatement,
} from "#domains/queries/index.ts";
import { parseStep, type TableStep } from "#domains/tables/index.ts";
import type { MigrationStep } from "./migration.ts";
import { TableLookup } from "./sql/table-lookup.ts";
import { UnsupportedSql } from "./sql/sql-error.ts";
import { translateToSteps } from "./sql/translate.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";

const SQL_CHARACTERS_MAX = 262_144;
const ERRORS_MAX = 200;

/** A valid step, and its path in the request. */
export type ParsedStep = { readonly index: number; readonly path: string } & (
  | { readonly step: TableStep }
  | { readonly sql: string; readonly script: readonly ScriptStatement[] }
);

/** The stored and executable steps, and all their errors. */
export interface ParsedSteps {
  readonly steps: readonly MigrationStep[];
  readonly parsed: readonly ParsedStep[];
  readonly errors: readonly FieldError[];
}

/**
 * Parses steps as far as possible without the tables they name. This is slow: SQL is parsed in a worker thread,
 * step by step.
 */
export async function parseSteps(
  input: readonly unknown[],
  { path, workspace }: { readonly path: string; readonly workspace: string },
): Promise<ParsedSteps> {
  const steps: MigrationStep[] = [];
  const parsed: ParsedStep[] = [];
  const errors: FieldError[] = [];
  const turn = new TurnTimer();
  for (const [index, item] of input.entries()) {
    if (errors.length >= ERRORS_MAX) break;
    if (turn.isOver()) await turn.next();
    const result = await parseOne(item, { index, path: `${path}/${index}`, workspace });
    if ("errors" in result) errors.push(...result.errors);
    else {
      steps.push(result.stored);
      parsed.push(result.parsed);
    }
  }
  return { steps, parsed, errors };
}

type ParseResult =
  | { readonly stored: MigrationStep; readonly parsed: ParsedStep }
  | { readonly errors: readonly FieldError[] };

interface StepPosition {
  readonly index: number;
  readonly path: string;
  /** Workspaces take turns in the parser. */
  readonly workspace: string;
}

async function parseOne(input: unknown, position: StepPosition): Promise<ParseResult> {
  const { index, path } = position;
  if (typeof input === "string") return parseSql(input, position);
  if (isSql(input)) {
    const { op: _, sql, ...others } = input;
    const [unknownField] = Object.keys(others);
    if (unknownField !== undefined)
      return invalidStep(`${path}/${unknownField}`, "is not a known field");
    if (typeof sql !== "string") return invalidStep(`${path}/sql`, "must be a string");
    return parseSql(sql, { ...position, path: `${path}/sql` });
  }
  const parsed = parseStep(input, ["sql"]);
  if ("errors" in parsed) {
    return { errors: parsed.errors.map((error) => ({ ...error, path: path + error.path })) };
  }
  return { stored: parsed.step, parsed: { index, path, step: parsed.step } };
}

async function parseSql(
  sql: string,
  { index, path, workspace }: StepPosition,
): Promise<ParseResult> {
  if (sql.length > SQL_CHARACTERS_MAX) {
    return invalidStep(
      path,
      `must have at most ${SQL_CHARACTERS_MAX} characters. Split it into several steps`,
    );
  }
  const result = await readScript(workspace, sql);
  if ("errors" in result) {
    return { errors: result.errors.map((error) => ({ path, message: describePosition(error) })) };
  }
  const script = result.statements;
  const emptyLookup = new TableLookup(undefined);
  const positions = new PositionMap(Buffer.from(sql));
  const errors: FieldError[] = [];
  for (const statement of script) {
    if (errors.length >= ERRORS_MAX) break;
    const message = translationError(statement, positions, emptyLookup);
    if (message !== undefined) errors.push({ path, message });
  }
  if (errors.length > 0) return { errors };
  return { stored: { op: "sql", sql }, parsed: { index, path, sql, script } };
}

/** The error of a statement that can't be translated. */
function translationError(
  statement: ScriptStatement,
  positions: PositionMap,
  lookup: TableLookup,
): string | undefined {
  if (statement.kind !== "structure") return undefined;
  try {
    translateToSteps(statement.node, lookup);
    return undefined;
  } catch (error) {
    if (error instanceof UnsupportedSql) return describeSqlError(error, statement, positions);
    throw error;
  }
}

/** An error with its position in the script. */
export function describeSqlError(
  { message, byte }: UnsupportedSql,
  { at }: ScriptStatement,
  positions: PositionMap,
): string {
  return describePosition({ message, at: byte === undefined ? at : positions.atByte(byte) });
}

function isSql(input: unknown): input is { readonly op: "sql"; readonly sql?: unknown } {
  return typeof input === "object" && input !== null && "op" in input && input.op === "sql";
}

function invalidStep(path: string, message: string): ParseResult {
  return { errors: [{ path, message }] };
}
