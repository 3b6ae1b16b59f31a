/** Keeps the indexes of formulas up to date when a step changes their columns. */
import { type FormulaIndex, compileFormulaIndexes } from "./formula-index.ts";
import type { Table } from "../table.ts";
import * as ddl from "../structure/ddl.ts";
import {
  type PlanContext,
  type PlannedChange,
  rejectStep,
  tableLocation,
} from "../structure/plan-context.ts";
import type { TableStep } from "../structure/step.ts";

/** Plans a step together with the indexes of formulas: dropped before it, created after it. */
export function withFormulaIndexes(
  context: PlanContext,
  step: TableStep,
  plan: () => PlannedChange,
): PlannedChange {
  const tables = new Map(context.tables);
  const { statements, inverse } = plan();
  const changes = [...tables.values()].flatMap((before) => {
    const after = context.tables.get(before.slug);
    // Dropping a table drops its indexes.
    return after === undefined || after === before
      ? []
      : [planChange(context, step, before, after)];
  });
  const created = [...context.tables.values()].filter(({ slug }) => !tables.has(slug));
  return {
    statements: [
      ...changes.flatMap(({ first }) => first),
      ...statements,
      ...changes.flatMap(({ last }) => last),
      ...created.flatMap((table) =>
        [...compileFormulaIndexes(table, context.partition)].flatMap(([name, index]) =>
          createIndex(context, table, name, index),
        ),
      ),
    ],
    inverse,
  };
}

interface IndexChange {
  readonly first: readonly ddl.Statement[];
  readonly last: readonly ddl.Statement[];
}

function planChange(
  context: PlanContext,
  step: TableStep,
  before: Table,
  after: Table,
): IndexChange {
  const old = compileFormulaIndexes(before, context.partition);
  const now = compileFormulaIndexes(after, context.partition);
  const location = tableLocation(context, before);
  if (step.op === "rename_column") {
    const isOwn = step.table === before.slug && old.has(step.from) && step.from !== step.to;
    const last = isOwn ? [ddl.renameFormulaIndex(location, step.from, step.to)] : [];
    return { first: [], last };
  }
  const isKept = (name: string): boolean => {
    const [was, is] = [old.get(name), now.get(name)];
    return !!was && !!is && "sql" in was && "sql" in is && was.sql === is.sql && !retypes(step, is);
  };
  for (const [name, index] of now) {
    const had = old.get(name);
    if (had && "sql" in had && "error" in index && !defines(step, name)) {
      rejectStep(PATHS[step.op] ?? "/table", `is used by the index of ${name}`);
    }
  }
  return {
    first: [...old].flatMap(([name, index]) =>
      "error" in index || isKept(name) ? [] : [ddl.dropFormulaIndex(location, name)],
    ),
    last: [...now].flatMap(([name, index]) =>
      isKept(name) ? [] : createIndex(context, after, name, index),
    ),
  };
}

/** Creates an index. If it is not possible, the column check reports the reason. */
function createIndex(
  context: PlanContext,
  table: Table,
  name: string,
  index: FormulaIndex,
): readonly ddl.Statement[] {
  if ("error" in index) return [];
  return [ddl.createFormulaIndex(tableLocation(context, table), name, index.sql)];
}

/**
 * Returns whether a column of the index changes its type, after which the same expression may mean something else.
 */
function retypes(step: TableStep, index: { readonly uses: ReadonlySet<string> }): boolean {
  return (
    step.op === "alter_column" && step.change.type !== undefined && index.uses.has(step.column)
  );
}

function defines(step: TableStep, name: string): boolean {
  return step.op === "alter_column" && step.column === name;
}

const PATHS: Readonly<Record<string, string>> = {
  drop_column: "/column",
  alter_column: "/change/type",
};
