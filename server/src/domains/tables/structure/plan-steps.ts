import { isDeepStrictEqual } from "node:util";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { resolveTable } from "../table-schema.ts";
import type { Table } from "../table.ts";
import { markFailedStep } from "./failed-step.ts";
import { addColumn, alterColumnBy, dropColumn, renameColumn } from "./column-steps.ts";
import { createView, dropView, type Statement } from "./ddl.ts";
import { ColumnInRule } from "./failures.ts";
import { addIndex, dropIndex } from "./index-steps.ts";
import { type PlannedChange, type PlanContext, StepFaults } from "./plan-context.ts";
import { checkRules } from "./check-rules.ts";
import type { Step } from "./step.ts";
import { alterTable, createTable, dropTable } from "./table-steps.ts";

/** Where something within a step stands in what the caller sent. */
export type PathOf = (index: number, path: string) => string;

export interface PlannedStatement extends Statement {
  /** The step that it is of. */
  readonly step: number;
}

export interface Plan {
  readonly statements: readonly PlannedStatement[];
  readonly inverse: readonly Step[];
}

/**
 * Works out what steps come to, one after the other, and leaves in `planning` the tables as they will
 * be. Throws the faults of the first step that can't be taken.
 */
export function planSteps(planning: PlanContext, steps: readonly Step[], at: PathOf): Plan {
  const original = new Map(planning.tables);
  const statements: PlannedStatement[] = [];
  const inverse: Step[] = [];
  for (const [index, step] of steps.entries()) {
    const planned = told(at, index, () =>
      planStep(planning, step, droppedBy(steps.slice(index + 1))),
    );
    statements.push(...planned.statements.map((statement) => ({ ...statement, step: index })));
    inverse.unshift(...planned.inverse);
  }
  for (const table of planning.tables.values()) {
    if (table !== original.get(table.slug)) settleRules(planning, table, { steps, at });
  }
  return { statements: withViews(planning, original, { statements, steps }), inverse };
}

/** No column changes under a view; so those of changed tables go first, and come back last. */
function withViews(
  planning: PlanContext,
  original: ReadonlyMap<string, Table>,
  {
    statements,
    steps,
  }: { readonly statements: PlannedStatement[]; readonly steps: readonly Step[] },
): PlannedStatement[] {
  const slugs = new Set(steps.filter(({ op }) => !ASIDE.has(op)).map(({ table }) => table));
  for (const table of planning.tables.values()) {
    const before = original.get(table.slug);
    if (!slugs.has(table.slug) || before?.id !== table.id || isLike(before, table)) continue;
    planning.tables.set(table.slug, { ...table, shape: before.shape + 1 });
  }
  const viewed = (tables: ReadonlyMap<string, Table>) =>
    [...tables.values()].filter(({ slug }) => slugs.has(slug));
  const { partition } = planning;
  return [
    ...viewed(original).map((table) => ({ ...dropView({ partition, table }), step: 0 })),
    ...statements,
    ...viewed(planning.tables).map((table) => ({
      ...createView(partition, table),
      step: 0,
    })),
  ];
}

/** Whether writers by the one definition would do the same by the other. */
function isLike(before: Table, after: Table): boolean {
  const [was, is] = [before, after].map(({ columns }) =>
    columns.map(({ description: _, ...column }) => column),
  );
  return isDeepStrictEqual(was, is);
}

/**
 * What changes nothing under a view. An index may belong to a column, but writers by the definition before hear of it
 * from the index itself, and readers should not have to wait until it is built.
 */
const ASIDE: ReadonlySet<Step["op"]> = new Set(["alter_table", "add_index", "drop_index"]);

function planStep(
  planning: PlanContext,
  step: Step,
  droppedLater: ReadonlySet<string>,
): PlannedChange {
  switch (step.op) {
    case "create_table":
      return createTable(planning, step);
    case "alter_table":
      return alterTable(planning, step);
    case "drop_table":
      return dropTable(planning, step, droppedLater);
    case "add_column":
      return addColumn(planning, step);
    case "rename_column":
      return renameColumn(planning, step);
    case "alter_column":
      return alterColumnBy(planning, step);
    case "drop_column":
      return dropColumn(planning, step);
    case "add_index":
      return addIndex(planning, step);
    case "drop_index":
      return dropIndex(planning, step);
  }
}

/**
 * Rules are held against the table that all steps together make, so that a column and the rule that
 * names it may go, or come, in one change.
 */
function settleRules(
  planning: PlanContext,
  table: Table,
  { steps, at }: { readonly steps: readonly Step[]; readonly at: PathOf },
): void {
  const { rules, faults } = checkRules(resolveTable(table, planning.partition));
  planning.tables.set(table.slug, { ...table, rules });
  const [first] = faults;
  if (!first) return;
  const giver = steps.findLastIndex((step) => step.table === table.slug && "rules" in step);
  if (giver !== -1) throw invalidAt(at, giver, faults);
  const [, number = ""] = /^\/rules\/(\d+)/.exec(first.path) ?? [];
  throw new Failure(ColumnInRule, {
    detail: `Rule ${number} of ${table.slug} does not go with this change: ${first.path} ${first.message}.`,
  });
}

function droppedBy(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(steps.filter(({ op }) => op === "drop_table").map(({ table }) => table));
}

function told(at: PathOf, index: number, plan: () => PlannedChange): PlannedChange {
  try {
    return plan();
  } catch (error) {
    throw error instanceof StepFaults
      ? invalidAt(at, index, error.faults)
      : markFailedStep(error, index);
  }
}

/** The faults of a step, where the caller finds them. */
export function invalidAt(at: PathOf, index: number, faults: readonly FieldError[]): Failure {
  const errors = faults.map(({ path, message }) => ({ path: at(index, path), message }));
  const detail = `${errors[0]?.path} ${errors[0]?.message}`;
  return markFailedStep(new Failure(Invalid, { detail, errors }), index);
}
