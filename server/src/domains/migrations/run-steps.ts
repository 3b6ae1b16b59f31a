/** Runs the steps of a migration in order, in one transaction. */
import { type ScriptStatement, PositionMap } from "#domains/queries/index.ts";
import {
  type AppliedSteps,
  changeStructure,
  failedStepOf,
  listTables,
  onDeleteOf,
  runSteps,
  type Table,
  type TableStep,
  targetOf,
  writeTriggerSql,
} from "#domains/tables/index.ts";
import { authorOf, partitionOfCaller } from "#kernel/access/caller.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { ownerOf, schemaOf } from "#kernel/db/sql-runner.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { describeSqlError, type ParsedStep } from "./parse-steps.ts";
import { UnsupportedSql } from "./sql/sql-error.ts";
import { TableLookup } from "./sql/table-lookup.ts";
import { describePath, translateToSteps } from "./sql/translate.ts";
import { stepErrorMessage, StepError, toStepError } from "./step-error.ts";

type RecordsStatement = Extract<ScriptStatement, { kind: "records" }>;
type StructureStatement = Extract<ScriptStatement, { kind: "structure" }>;
type ParsedTableStep = Extract<ParsedStep, { step: TableStep }>;
type ParsedScript = Extract<ParsedStep, { sql: string }>;

/** The result of steps that were all run. */
export interface StepsOutcome {
  readonly statements: readonly string[];
  readonly recordsChanged: number;
  /** The steps that undo it; null if statements changed records, which cannot be undone by steps. */
  readonly inverse: readonly TableStep[] | null;
  readonly changes: readonly AppliedSteps[];
}

/** Runs all steps, or throws a `StepError`: then the transaction must be rolled back to a savepoint. */
export async function runMigrationSteps(
  ctx: ReadContext,
  steps: readonly ParsedStep[],
): Promise<StepsOutcome> {
  const runner = new StepRunner(ctx, steps);
  for (const batch of batchesOf(steps)) {
    const [first] = batch;
    if (!first) continue;
    if ("script" in first) await runner.script(first);
    else await runner.steps(batch.filter((step) => "step" in step));
  }
  return runner.end();
}

/** Consecutive structural steps are planned together, because they may depend on each other. */
function batchesOf(steps: readonly ParsedStep[]): ParsedStep[][] {
  const batches: ParsedStep[][] = [];
  for (const step of steps) {
    const last = batches.at(-1);
    const joins = last?.[0] !== undefined && "step" in last[0] && "step" in step;
    if (joins) last?.push(step);
    else batches.push([step]);
  }
  return batches;
}

class StepRunner {
  readonly #ctx: ReadContext;
  readonly #partition: Partition;
  readonly #steps: readonly ParsedStep[];
  readonly #statements: string[] = [];
  readonly #changes: AppliedSteps[] = [];
  readonly #inverse: TableStep[] = [];
  /** Tables with write triggers, and the statements that drop these triggers. */
  readonly #triggered = new Map<string, readonly string[]>();
  #reversible = true;
  #recordsChanged = 0;
  /** The current tables; reloaded when they change. */
  #tables: readonly Table[] | undefined;
  /** The tables that the entire migration uses. Tables that it creates itself cannot be locked by others. */
  #named: ReadonlySet<string> | undefined;

  constructor(ctx: ReadContext, steps: readonly ParsedStep[]) {
    this.#ctx = ctx;
    this.#partition = partitionOfCaller(ctx.caller);
    this.#steps = steps;
  }

  async steps(parsed: readonly ParsedTableStep[]): Promise<void> {
    const steps = parsed.map(({ step }) => step);
    const at = (index: number, path: string) => `${parsed[index]?.path}${path}`;
    try {
      await this.#change(steps, at);
    } catch (error) {
      const failed = parsed[failedStepOf(error) ?? (parsed.length === 1 ? 0 : -1)];
      throw toStepError(error, failed?.index, failed?.path ?? "") ?? error;
    }
  }

  async script(step: ParsedScript): Promise<void> {
    for (const statement of step.script) {
      if (statement.kind === "structure") await this.#changeStructure(statement, step);
      else await this.#changeRecords(statement, step);
    }
  }

  async end(): Promise<StepsOutcome> {
    await this.#dropTriggers();
    return {
      statements: this.#statements,
      recordsChanged: this.#recordsChanged,
      inverse: this.#reversible ? this.#inverse : null,
      changes: this.#changes,
    };
  }

  /** Runs a statement about tables by running its translated steps. */
  async #changeStructure(
    statement: StructureStatement,
    { index, path, sql }: ParsedScript,
  ): Promise<void> {
    let steps: readonly TableStep[] = [];
    const pathInSql = (position: number, within: string) => {
      const step = steps[position];
      return step ? describePath(step, within) : "";
    };
    try {
      steps = translateToSteps(statement.node, new TableLookup(await this.#listTables()));
      await this.#change(steps, pathInSql);
    } catch (error) {
      if (error instanceof UnsupportedSql) {
        const message = describeSqlError(error, statement, new PositionMap(Buffer.from(sql)));
        throw new StepError(index, [{ path, message }]);
      }
      const stepError = toStepError(error, index, "");
      if (!stepError) throw error;
      // Paths within a step do not exist in SQL, so the part is named in the message.
      const errors = stepError.errors.map((field) => ({
        path,
        message: `${field.path} ${field.message}`.trim(),
      }));
      throw new StepError(index, errors);
    }
  }

  async #changeRecords(
    statement: RecordsStatement,
    { index, path, sql }: ParsedScript,
  ): Promise<void> {
    const tables = await this.#listTables();
    const unknown = statement.relations.find((name) => !tables.some(({ slug }) => slug === name));
    if (unknown !== undefined) {
      throw new StepError(index, [
        { path, message: `the table ${unknown} does not exist in this environment` },
      ]);
    }
    try {
      await this.#write(statement, tables);
    } catch (error) {
      const message = stepErrorMessage(error, { statement, sql, tables });
      throw message === undefined ? error : new StepError(index, [{ path, message }]);
    }
  }

  async #change(
    steps: readonly TableStep[],
    at: (index: number, path: string) => string,
  ): Promise<void> {
    if (steps.length === 0) return;
    await this.#dropTriggers();
    const applied = await runSteps(this.#ctx, steps, at);
    this.#tables = undefined;
    this.#changes.push(applied);
    this.#statements.push(...applied.statements);
    this.#inverse.unshift(...applied.inverse);
  }

  /** Runs a statement on records as the owner of the tables, a role without any other access. */
  async #write(statement: RecordsStatement, tables: readonly Table[]): Promise<void> {
    const { text } = statement;
    this.#reversible = false;
    const { tx, caller, now } = this.#ctx;
    this.#named ??= tablesNamedIn(this.#steps, tables);
    await this.#addTriggers(tablesToLock(statement, { tables, named: this.#named }));
    const [row] = await queryRows(tx, "select change_records($1, $2, $3, $4, $5) as changed", [
      ownerOf(this.#partition),
      schemaOf(this.#partition),
      text,
      authorOf(caller),
      now,
    ]);
    this.#recordsChanged += Number(row?.["changed"] ?? 0);
    this.#statements.push(text);
  }

  async #addTriggers(tables: readonly Table[]): Promise<void> {
    for (const table of tables) {
      if (this.#triggered.has(table.slug)) continue;
      const { create, drop } = writeTriggerSql(this.#partition, table);
      await this.#runAsOwner(create);
      this.#triggered.set(table.slug, drop);
    }
  }

  async #dropTriggers(): Promise<void> {
    if (this.#triggered.size === 0) return;
    await this.#runAsOwner([...this.#triggered.values()].flat());
    this.#triggered.clear();
  }

  async #runAsOwner(statements: readonly string[]): Promise<void> {
    for (const statement of statements) {
      await changeStructure(this.#ctx.tx, this.#partition, statement);
    }
  }

  async #listTables(): Promise<readonly Table[]> {
    return (this.#tables ??= await listTables(this.#ctx.tx));
  }
}

type RecordWrites = Pick<RecordsStatement, "targets" | "deletedFrom">;

/**
 * The tables that get write triggers, and so a lock, before a statement runs: those that it changes, and of those
 * that refer to them the ones that later steps use. A concurrent transaction that writes to such a table has locked
 * it while waiting for the referenced record; locking it later would cause a deadlock.
 */
function tablesToLock(
  statement: RecordWrites,
  { tables, named }: { readonly tables: readonly Table[]; readonly named: ReadonlySet<string> },
): readonly Table[] {
  const reached = reachedTables([statement], tables);
  const refers = ({ columns }: Table) =>
    columns.some((column) => reached.has(targetOf(column) ?? ""));
  return tables.filter(
    (table) => reached.has(table.slug) || (named.has(table.slug) && refers(table)),
  );
}

/** The slugs of the tables whose structure or records a migration changes. */
function tablesNamedIn(
  parsed: readonly ParsedStep[],
  tables: readonly Table[],
): ReadonlySet<string> {
  const emptyLookup = new TableLookup(undefined);
  const script = parsed.flatMap((item) => ("script" in item ? item.script : []));
  const steps = [
    ...parsed.flatMap((item) => ("step" in item ? [item.step] : [])),
    ...script.flatMap((item) =>
      item.kind === "structure" ? translateToSteps(item.node, emptyLookup) : [],
    ),
  ];
  const reached = reachedTables(
    script.filter((item) => item.kind === "records"),
    tables,
  );
  return new Set([...steps.map(({ table }) => table), ...reached]);
}

/**
 * The slugs of the tables whose records statements may change. Inserts and updates affect no other table, because
 * ids do not change; a delete also affects tables whose references it cascades to or clears.
 */
function reachedTables(
  statements: readonly RecordWrites[],
  tables: readonly Table[],
): ReadonlySet<string> {
  const reached = new Set(statements.flatMap(({ targets }) => targets));
  const deletedFrom = new Set(statements.flatMap((statement) => statement.deletedFrom));
  // The iteration includes slugs that are added during it.
  for (const slug of deletedFrom) {
    for (const { slug: other, columns } of tables) {
      for (const column of columns.filter((candidate) => targetOf(candidate) === slug)) {
        const onDelete = onDeleteOf(column);
        if (onDelete !== "restrict") reached.add(other);
        if (onDelete === "cascade") deletedFrom.add(other);
      }
    }
  }
  return reached;
}
