/** Takes the steps of a migration, one after the other, in the act's transaction. */
import type { ScriptStatement } from "#domains/queries/guard/script.ts";
import { PositionMap } from "#domains/queries/guard/source-position.ts";
import { authorOf, partitionOfCaller } from "#kernel/access/caller.ts";
import { onDeleteOf, targetOf } from "#domains/tables/columns/reference.ts";
import { quoteIdentifier } from "#domains/tables/sql-names.ts";
import { listTables } from "#domains/tables/store.ts";
import { type AppliedSteps, runSteps } from "#domains/tables/structure/apply-steps.ts";
import { failedStepOf } from "#domains/tables/structure/failed-step.ts";
import type { TableStep } from "#domains/tables/structure/step.ts";
import type { Table } from "#domains/tables/table.ts";
import { ownerOf, schemaOf } from "#kernel/db/sql-runner.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { describeSqlError, type ParsedStep } from "./parse-steps.ts";
import { UnsupportedSql } from "./sql/sql-error.ts";
import { TableLookup } from "./sql/table-lookup.ts";
import { describePath, translateToSteps } from "./sql/translate.ts";
import { stepErrorMessage, StepError, toStepError } from "./step-error.ts";
import { writeTriggerSql } from "#domains/tables/structure/write-triggers.ts";

/** How far a statement on records reaches: which tables it changes, and which it has to hold. */

type RecordWrites = Pick<Extract<ScriptStatement, { kind: "records" }>, "targets" | "deletedFrom">;

/**
 * The tables to watch while a statement runs: those that it changes, and of those that refer to them the
 * ones that the migration comes to later. For whoever writes to such a one holds it while they wait to see
 * whether what it refers to is there, and then we would wait for each other.
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

/** The slugs of the tables that a migration changes, or whose records. */
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
 * The slugs of the tables whose records statements may change. What they insert or update changes nothing
 * elsewhere, as ids stay; what they delete takes away, or out of references, what does not forbid that.
 */
function reachedTables(
  all: readonly RecordWrites[],
  tables: readonly Table[],
): ReadonlySet<string> {
  const reached = new Set(all.flatMap(({ targets }) => targets));
  const deletedFrom = new Set(all.flatMap(({ deletedFrom: slugs }) => slugs));
  // What is added to a set meanwhile has its turn too.
  for (const slug of deletedFrom) {
    for (const { slug: other, columns } of tables) {
      for (const column of columns.filter((item) => targetOf(item) === slug)) {
        const onDelete = onDeleteOf(column);
        if (onDelete !== "restrict") reached.add(other);
        if (onDelete === "cascade") deletedFrom.add(other);
      }
    }
  }
  return reached;
}

/** What became of it. */
export interface StepsOutcome {
  readonly statements: readonly string[];
  readonly recordsChanged: number;
  /** The steps that undo it; null when only somebody else can say what does. */
  readonly inverse: readonly TableStep[] | null;
  readonly changes: readonly AppliedSteps[];
}

/** Takes all, or throws a `StepTrouble`: then nothing may be kept of it. */
export async function runMigrationSteps(
  ctx: ReadContext,
  steps: readonly ParsedStep[],
): Promise<StepsOutcome> {
  const runner = new StepRunner(ctx, steps);
  for (const batch of batchesOf(steps)) {
    const [first] = batch;
    if (!first) continue;
    if ("script" in first) await runner.script(first);
    else await runner.steps(batch.filter((work) => "step" in work));
  }
  return runner.end();
}

type ParsedTableStep = Extract<ParsedStep, { step: TableStep }>;
type ParsedScript = Extract<ParsedStep, { sql: string }>;

/** Structured steps that follow each other are planned together: they may depend on one another. */
function batchesOf(steps: readonly ParsedStep[]): ParsedStep[][] {
  const batches: ParsedStep[][] = [];
  for (const work of steps) {
    const last = batches.at(-1);
    const joins = last?.[0] !== undefined && "step" in last[0] && "step" in work;
    if (joins) last?.push(work);
    else batches.push([work]);
  }
  return batches;
}

class StepRunner {
  readonly #ctx: ReadContext;
  readonly #steps: readonly ParsedStep[];
  readonly #statements: string[] = [];
  readonly #changes: AppliedSteps[] = [];
  readonly #inverse: TableStep[] = [];
  /** Tables with a watch on them, and what takes it off. */
  readonly #triggered = new Map<string, readonly string[]>();
  #reversible = true;
  #recordsChanged = 0;
  /** As they are now; forgotten when they change. */
  #tables: readonly Table[] | undefined;
  /** Which of them the whole migration is about. Those that it makes itself nobody else can hold. */
  #named: ReadonlySet<string> | undefined;

  constructor(ctx: ReadContext, steps: readonly ParsedStep[]) {
    this.#ctx = ctx;
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

  async script({ index, path, sql, script }: ParsedScript): Promise<void> {
    for (const statement of script) {
      const toError = (message: string) => new StepError(index, [{ path, message }]);
      if (statement.kind === "structure") await this.#runStructure(statement, { index, path, sql });
      else {
        const tables = await this.#listTables();
        const unknownTable = statement.relations.find(
          (name) => !tables.some(({ slug }) => slug === name),
        );
        if (unknownTable !== undefined) throw toError(`there is no table ${unknownTable} here`);
        try {
          await this.#write(statement, tables);
        } catch (error) {
          const message = stepErrorMessage(error, { statement, sql, tables });
          throw message === undefined ? error : toError(message);
        }
      }
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

  async #runStructure(
    statement: Extract<ScriptStatement, { kind: "structure" }>,
    { index, path, sql }: Pick<ParsedScript, "index" | "path" | "sql">,
  ): Promise<void> {
    let steps: readonly TableStep[] = [];
    const pathInSql = (step: number, within: string) => {
      const item = steps[step];
      return item ? describePath(item, within) : "";
    };
    try {
      steps = translateToSteps(statement.node, new TableLookup(await this.#listTables()));
      await this.#change(steps, pathInSql);
    } catch (error) {
      if (error instanceof UnsupportedSql) {
        const message = describeSqlError(error, statement, new PositionMap(Buffer.from(sql)));
        throw new StepError(index, [{ path, message }]);
      }
      const toError = toStepError(error, index, "");
      if (!toError) throw error;
      // What stands in a step has no place of its own in SQL: it is told in words.
      const faults = toError.errors.map((fault) => ({
        path,
        message: `${fault.path} ${fault.message}`.trim(),
      }));
      throw new StepError(index, faults);
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

  /** Runs a statement on records as the owner of the tables, which can't reach anything else. */
  async #write(statement: RecordsStatement, tables: readonly Table[]): Promise<void> {
    const { text } = statement;
    this.#reversible = false;
    const { tx, caller, now } = this.#ctx;
    const partition = partitionOfCaller(caller);
    this.#named ??= tablesNamedIn(this.#steps, tables);
    await this.#addTriggers(tablesToLock(statement, { tables, named: this.#named }));
    await this.#setRole(ownerOf(partition));
    const [row] = await queryRows(tx, "select change_records($1, $2, $3, $4) as changed", [
      text,
      schemaOf(partition),
      authorOf(caller),
      now,
    ]);
    await this.#setRole(undefined);
    this.#recordsChanged += Number(row?.["changed"] ?? 0);
    this.#statements.push(text);
  }

  async #addTriggers(tables: readonly Table[]): Promise<void> {
    for (const table of tables) {
      if (this.#triggered.has(table.slug)) continue;
      const { on, off } = writeTriggerSql(partitionOfCaller(this.#ctx.caller), table);
      await this.#runAsOwner(on);
      this.#triggered.set(table.slug, off);
    }
  }

  async #dropTriggers(): Promise<void> {
    if (this.#triggered.size === 0) return;
    await this.#runAsOwner([...this.#triggered.values()].flat());
    this.#triggered.clear();
  }

  async #runAsOwner(texts: readonly string[]): Promise<void> {
    await this.#setRole(ownerOf(partitionOfCaller(this.#ctx.caller)));
    for (const text of texts) await queryRows(this.#ctx.tx, CHANGE, [text]);
    await this.#setRole(undefined);
  }

  async #setRole(role: string | undefined): Promise<void> {
    const name = role === undefined ? "none" : quoteIdentifier(role);
    await queryRows(this.#ctx.tx, CHANGE, [`set local role ${name}`]);
  }

  async #listTables(): Promise<readonly Table[]> {
    return (this.#tables ??= await listTables(this.#ctx.tx));
  }
}

type RecordsStatement = Extract<ScriptStatement, { kind: "records" }>;

const CHANGE = "select change_structure($1)";
