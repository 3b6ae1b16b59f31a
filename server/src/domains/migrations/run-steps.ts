/** Takes the steps of a migration, one after the other, in the act's transaction. */
import type { ScriptStatement } from "#domains/queries/guard/script.ts";
import { PositionMap } from "#domains/queries/guard/source-position.ts";
import { authorOf, partitionOfCaller } from "#kernel/access/caller.ts";
import { onDeleteOf, targetOf } from "#domains/tables/columns/reference.ts";
import { quoteIdentifier } from "#domains/tables/sql-names.ts";
import { listTables } from "#domains/tables/store.ts";
import { type AppliedSteps, runSteps } from "#domains/tables/structure/apply-steps.ts";
import { failedStepOf } from "#domains/tables/structure/failed-step.ts";
import type { Step } from "#domains/tables/structure/step.ts";
import type { Table } from "#domains/tables/table.ts";
import { ownerOf, schemaOf } from "#kernel/db/sql-runner.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { refusalInWords, type Work } from "./parse-steps.ts";
import { UnsupportedSql } from "./sql/sql-error.ts";
import { TableLookup } from "./sql/table-lookup.ts";
import { placeIn, stepsFrom } from "./sql/translate.ts";
import { stepErrorMessage, StepError, toStepError } from "./step-error.ts";
import { writeTriggerSql } from "./write-triggers.ts";

/** How far a statement on records reaches: which tables it changes, and which it has to hold. */

type Writes = Pick<Extract<ScriptStatement, { does: "records" }>, "targets" | "emptied">;

/**
 * The tables to watch while a statement runs: those that it changes, and of those that refer to them the
 * ones that the migration comes to later. For whoever writes to such a one holds it while they wait to see
 * whether what it refers to is there, and then we would wait for each other.
 */
function tablesToLock(
  statement: Writes,
  { tables, named }: { readonly tables: readonly Table[]; readonly named: ReadonlySet<string> },
): readonly Table[] {
  const reached = reachedBy([statement], tables);
  const refers = ({ columns }: Table) =>
    columns.some((column) => reached.has(targetOf(column) ?? ""));
  return tables.filter(
    (table) => reached.has(table.slug) || (named.has(table.slug) && refers(table)),
  );
}

/** The slugs of the tables that a migration changes, or whose records. */
function tablesNamedIn(works: readonly Work[], tables: readonly Table[]): ReadonlySet<string> {
  const unknown = new TableLookup(undefined);
  const script = works.flatMap((work) => ("script" in work ? work.script : []));
  const steps = [
    ...works.flatMap((work) => ("step" in work ? [work.step] : [])),
    ...script.flatMap((one) => (one.does === "structure" ? stepsFrom(one.node, unknown) : [])),
  ];
  const reached = reachedBy(
    script.filter((one) => one.does === "records"),
    tables,
  );
  return new Set([...steps.map(({ table }) => table), ...reached]);
}

/**
 * The slugs of the tables whose records statements may change. What they insert or update changes nothing
 * elsewhere, as ids stay; what they delete takes away, or out of references, what does not forbid that.
 */
function reachedBy(all: readonly Writes[], tables: readonly Table[]): ReadonlySet<string> {
  const reached = new Set(all.flatMap(({ targets }) => targets));
  const emptied = new Set(all.flatMap(({ emptied: slugs }) => slugs));
  // What is added to a set meanwhile has its turn too.
  for (const slug of emptied) {
    for (const { slug: other, columns } of tables) {
      for (const column of columns.filter((one) => targetOf(one) === slug)) {
        const onDelete = onDeleteOf(column);
        if (onDelete !== "restrict") reached.add(other);
        if (onDelete === "cascade") emptied.add(other);
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
  readonly inverse: readonly Step[] | null;
  readonly changes: readonly AppliedSteps[];
}

/** Takes all, or throws a `StepTrouble`: then nothing may be kept of it. */
export async function runMigrationSteps(
  ctx: ReadContext,
  works: readonly Work[],
): Promise<StepsOutcome> {
  const taking = new Taking(ctx, works);
  for (const batch of batchesOf(works)) {
    const [first] = batch;
    if (!first) continue;
    if ("script" in first) await taking.script(first);
    else await taking.steps(batch.filter((work) => "step" in work));
  }
  return taking.end();
}

type StepWork = Extract<Work, { step: Step }>;
type ScriptWork = Extract<Work, { sql: string }>;

/** Structured steps that follow each other are planned together: they may depend on one another. */
function batchesOf(works: readonly Work[]): Work[][] {
  const batches: Work[][] = [];
  for (const work of works) {
    const last = batches.at(-1);
    const joins = last?.[0] !== undefined && "step" in last[0] && "step" in work;
    if (joins) last?.push(work);
    else batches.push([work]);
  }
  return batches;
}

class Taking {
  readonly #ctx: ReadContext;
  readonly #works: readonly Work[];
  readonly #statements: string[] = [];
  readonly #changes: AppliedSteps[] = [];
  readonly #inverse: Step[] = [];
  /** Tables with a watch on them, and what takes it off. */
  readonly #watched = new Map<string, readonly string[]>();
  #reversible = true;
  #recordsChanged = 0;
  /** As they are now; forgotten when they change. */
  #tables: readonly Table[] | undefined;
  /** Which of them the whole migration is about. Those that it makes itself nobody else can hold. */
  #named: ReadonlySet<string> | undefined;

  constructor(ctx: ReadContext, works: readonly Work[]) {
    this.#ctx = ctx;
    this.#works = works;
  }

  async steps(works: readonly StepWork[]): Promise<void> {
    const steps = works.map(({ step }) => step);
    const at = (index: number, path: string) => `${works[index]?.path}${path}`;
    try {
      await this.#change(steps, at);
    } catch (error) {
      const blamed = works[failedStepOf(error) ?? (works.length === 1 ? 0 : -1)];
      throw toStepError(error, blamed?.index, blamed?.path ?? "") ?? error;
    }
  }

  async script({ index, path, sql, script }: ScriptWork): Promise<void> {
    for (const statement of script) {
      const trouble = (message: string) => new StepError(index, [{ path, message }]);
      if (statement.does === "structure") await this.#translated(statement, { index, path, sql });
      else {
        const tables = await this.#known();
        const strange = statement.relations.find(
          (name) => !tables.some(({ slug }) => slug === name),
        );
        if (strange !== undefined) throw trouble(`there is no table ${strange} here`);
        try {
          await this.#write(statement, tables);
        } catch (error) {
          const complaint = stepErrorMessage(error, { statement, sql, tables });
          throw complaint === undefined ? error : trouble(complaint);
        }
      }
    }
  }

  async end(): Promise<StepsOutcome> {
    await this.#unwatch();
    return {
      statements: this.#statements,
      recordsChanged: this.#recordsChanged,
      inverse: this.#reversible ? this.#inverse : null,
      changes: this.#changes,
    };
  }

  async #translated(
    statement: Extract<ScriptStatement, { does: "structure" }>,
    { index, path, sql }: Pick<ScriptWork, "index" | "path" | "sql">,
  ): Promise<void> {
    let steps: readonly Step[] = [];
    const said = (step: number, within: string) => {
      const one = steps[step];
      return one ? placeIn(one, within) : "";
    };
    try {
      steps = stepsFrom(statement.node, new TableLookup(await this.#known()));
      await this.#change(steps, said);
    } catch (error) {
      if (error instanceof UnsupportedSql) {
        const message = refusalInWords(error, statement, new PositionMap(Buffer.from(sql)));
        throw new StepError(index, [{ path, message }]);
      }
      const trouble = toStepError(error, index, "");
      if (!trouble) throw error;
      // What stands in a step has no place of its own in SQL: it is told in words.
      const faults = trouble.faults.map((fault) => ({
        path,
        message: `${fault.path} ${fault.message}`.trim(),
      }));
      throw new StepError(index, faults);
    }
  }

  async #change(
    steps: readonly Step[],
    at: (index: number, path: string) => string,
  ): Promise<void> {
    if (steps.length === 0) return;
    await this.#unwatch();
    const taken = await runSteps(this.#ctx, steps, at);
    this.#tables = undefined;
    this.#changes.push(taken);
    this.#statements.push(...taken.statements);
    this.#inverse.unshift(...taken.inverse);
  }

  /** Runs a statement on records as the owner of the tables, which can't reach anything else. */
  async #write(statement: RecordsStatement, tables: readonly Table[]): Promise<void> {
    const { text } = statement;
    this.#reversible = false;
    const { tx, caller, now } = this.#ctx;
    const partition = partitionOfCaller(caller);
    this.#named ??= tablesNamedIn(this.#works, tables);
    await this.#watch(tablesToLock(statement, { tables, named: this.#named }));
    await this.#as(ownerOf(partition));
    const [row] = await queryRows(tx, "select change_records($1, $2, $3, $4) as changed", [
      text,
      schemaOf(partition),
      authorOf(caller),
      now,
    ]);
    await this.#as(undefined);
    this.#recordsChanged += Number(row?.["changed"] ?? 0);
    this.#statements.push(text);
  }

  async #watch(tables: readonly Table[]): Promise<void> {
    for (const table of tables) {
      if (this.#watched.has(table.slug)) continue;
      const { on, off } = writeTriggerSql(partitionOfCaller(this.#ctx.caller), table);
      await this.#asOwner(on);
      this.#watched.set(table.slug, off);
    }
  }

  async #unwatch(): Promise<void> {
    if (this.#watched.size === 0) return;
    await this.#asOwner([...this.#watched.values()].flat());
    this.#watched.clear();
  }

  async #asOwner(texts: readonly string[]): Promise<void> {
    await this.#as(ownerOf(partitionOfCaller(this.#ctx.caller)));
    for (const text of texts) await queryRows(this.#ctx.tx, CHANGE, [text]);
    await this.#as(undefined);
  }

  async #as(role: string | undefined): Promise<void> {
    const name = role === undefined ? "none" : quoteIdentifier(role);
    await queryRows(this.#ctx.tx, CHANGE, [`set local role ${name}`]);
  }

  async #known(): Promise<readonly Table[]> {
    return (this.#tables ??= await listTables(this.#ctx.tx));
  }
}

type RecordsStatement = Extract<ScriptStatement, { does: "records" }>;

const CHANGE = "select change_structure($1)";
