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

const SQL_CHARACTERS_MAX = 262_144;
const ERRORS_MAX = 200;

/** A step that was read, and may be taken. `path` is where it stands in what somebody wrote. */
export type ParsedStep = { readonly index: number; readonly path: string } & (
  | { readonly step: TableStep }
  | { readonly sql: string; readonly script: readonly ScriptStatement[] }
);

/** Steps in the form in which they are kept, what they come to, and all that is wrong with them. */
export interface ParsedSteps {
  readonly steps: readonly MigrationStep[];
  readonly parsed: readonly ParsedStep[];
  readonly errors: readonly FieldError[];
}

/**
 * Reads steps as far as that is possible without the tables that they are about. It takes its time:
 * SQL is parsed elsewhere, one step after the other.
 */
export async function parseSteps(
  input: readonly unknown[],
  { path, workspace }: { readonly path: string; readonly workspace: string },
): Promise<ParsedSteps> {
  const steps: MigrationStep[] = [];
  const parsed: ParsedStep[] = [];
  const errors: FieldError[] = [];
  for (const [index, item] of input.entries()) {
    if (errors.length >= ERRORS_MAX) break;
    const read = await parseOne(item, { index, path: `${path}/${index}`, workspace });
    if ("errors" in read) errors.push(...read.errors);
    else {
      steps.push(read.stored);
      parsed.push(read.parsed);
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
  /** Whose turn it is to have SQL read. */
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
    if (typeof sql !== "string") return invalidStep(`${path}/sql`, "must be a text");
    return parseSql(sql, { ...position, path: `${path}/sql` });
  }
  const read = parseStep(input, ["sql"]);
  if ("errors" in read) {
    return { errors: read.errors.map((fault) => ({ ...fault, path: path + fault.path })) };
  }
  return { stored: read.step, parsed: { index, path, step: read.step } };
}

async function parseSql(
  sql: string,
  { index, path, workspace }: StepPosition,
): Promise<ParseResult> {
  if (sql.length > SQL_CHARACTERS_MAX) {
    return invalidStep(
      path,
      `must have at most ${SQL_CHARACTERS_MAX} characters; make several steps of it`,
    );
  }
  const verdict = await readScript(workspace, sql);
  if ("errors" in verdict) {
    return { errors: verdict.errors.map((item) => ({ path, message: describePosition(item) })) };
  }
  const script = verdict.statements;
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

/** Why a statement can't be translated, in words. */
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

/** A refusal with its place in the script. */
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
