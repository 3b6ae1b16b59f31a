import type { FieldError } from "#kernel/operation/failure.ts";
import { describePosition, PositionMap } from "#domains/queries/guard/source-position.ts";
import { readScript } from "#domains/queries/guard/parse-thread.ts";
import type { ScriptStatement } from "#domains/queries/guard/script.ts";
import { readStep, type Step } from "#domains/tables/structure/step.ts";
import type { MigrationStep } from "./migration.ts";
import { TableLookup } from "./sql/table-lookup.ts";
import { UnsupportedSql } from "./sql/sql-error.ts";
import { stepsFrom } from "./sql/translate.ts";

const SQL_CHARACTERS_MAX = 262_144;
const FAULTS_MAX = 200;

/** A step that was read, and may be taken. `path` is where it stands in what somebody wrote. */
export type Work = { readonly index: number; readonly path: string } & (
  | { readonly step: Step }
  | { readonly sql: string; readonly script: readonly ScriptStatement[] }
);

/** Steps in the form in which they are kept, what they come to, and all that is wrong with them. */
export interface ReadSteps {
  readonly steps: readonly MigrationStep[];
  readonly works: readonly Work[];
  readonly faults: readonly FieldError[];
}

/**
 * Reads steps as far as that is possible without the tables that they are about. It takes its time:
 * SQL is parsed elsewhere, one step after the other.
 */
export async function readSteps(
  given: readonly unknown[],
  { path, workspace }: { readonly path: string; readonly workspace: string },
): Promise<ReadSteps> {
  const steps: MigrationStep[] = [];
  const works: Work[] = [];
  const faults: FieldError[] = [];
  for (const [index, one] of given.entries()) {
    if (faults.length >= FAULTS_MAX) break;
    const read = await readOne(one, { index, path: `${path}/${index}`, workspace });
    if ("faults" in read) faults.push(...read.faults);
    else {
      steps.push(read.kept);
      works.push(read.work);
    }
  }
  return { steps, works, faults };
}

type ReadOne =
  | { readonly kept: MigrationStep; readonly work: Work }
  | { readonly faults: readonly FieldError[] };

interface Place {
  readonly index: number;
  readonly path: string;
  /** Whose turn it is to have SQL read. */
  readonly workspace: string;
}

async function readOne(given: unknown, place: Place): Promise<ReadOne> {
  const { index, path } = place;
  if (typeof given === "string") return readSql(given, place);
  if (isSql(given)) {
    const { op: _, sql, ...others } = given;
    const [stranger] = Object.keys(others);
    if (stranger !== undefined) return faulty(`${path}/${stranger}`, "is not a known field");
    if (typeof sql !== "string") return faulty(`${path}/sql`, "must be a text");
    return readSql(sql, { ...place, path: `${path}/sql` });
  }
  const read = readStep(given, ["sql"]);
  if ("faults" in read) {
    return { faults: read.faults.map((fault) => ({ ...fault, path: path + fault.path })) };
  }
  return { kept: read.step, work: { index, path, step: read.step } };
}

async function readSql(sql: string, { index, path, workspace }: Place): Promise<ReadOne> {
  if (sql.length > SQL_CHARACTERS_MAX) {
    return faulty(
      path,
      `must have at most ${SQL_CHARACTERS_MAX} characters; make several steps of it`,
    );
  }
  const verdict = await readScript(workspace, sql);
  if ("complaints" in verdict) {
    return { faults: verdict.complaints.map((one) => ({ path, message: describePosition(one) })) };
  }
  const script = verdict.statements;
  const unknown = new TableLookup(undefined);
  const places = new PositionMap(Buffer.from(sql));
  const faults: FieldError[] = [];
  for (const statement of script) {
    if (faults.length >= FAULTS_MAX) break;
    const refusal = refusalOf(statement, places, unknown);
    if (refusal !== undefined) faults.push({ path, message: refusal });
  }
  if (faults.length > 0) return { faults };
  return { kept: { op: "sql", sql }, work: { index, path, sql, script } };
}

/** Why a statement can't be translated, in words. */
function refusalOf(
  statement: ScriptStatement,
  places: PositionMap,
  known: TableLookup,
): string | undefined {
  if (statement.does !== "structure") return undefined;
  try {
    stepsFrom(statement.node, known);
    return undefined;
  } catch (error) {
    if (error instanceof UnsupportedSql) return refusalInWords(error, statement, places);
    throw error;
  }
}

/** A refusal with its place in the script. */
export function refusalInWords(
  { message, byte }: UnsupportedSql,
  { at }: ScriptStatement,
  places: PositionMap,
): string {
  return describePosition({ message, at: byte === undefined ? at : places.atByte(byte) });
}

function isSql(given: unknown): given is { readonly op: "sql"; readonly sql?: unknown } {
  return typeof given === "object" && given !== null && "op" in given && given.op === "sql";
}

function faulty(path: string, message: string): ReadOne {
  return { faults: [{ path, message }] };
}
