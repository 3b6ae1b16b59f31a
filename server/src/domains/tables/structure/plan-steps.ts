import { isDeepStrictEqual } from "node:util";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import type { RelatedTables } from "../schema/field-type.ts";
import { pathsOfRules } from "../schema/rule-path.ts";
import { resolveTable } from "../schema/table-schema.ts";
import type { Rule, Table } from "../table.ts";
import { addColumn, alterColumnStep, dropColumn, renameColumn } from "./column-steps.ts";
import { createView, dropView, type Statement } from "./ddl.ts";
import { ColumnInRule, markFailedStep } from "./failures.ts";
import { withFormulaIndexes } from "../formula/index-changes.ts";
import { addIndex, dropIndex } from "./index-steps.ts";
import { type PlannedChange, type PlanContext, StepErrors } from "./plan-context.ts";
import { checkRules } from "../schema/check-rules.ts";
import type { TableStep } from "./step.ts";
import { alterTable, createTable, dropTable } from "./table-steps.ts";

/** The path in the request of a path within a step. */
export type StepPath = (index: number, path: string) => string;

export interface PlannedStatement extends Statement {
  /** The index of its step. */
  readonly step: number;
}

export interface StepPlan {
  readonly statements: readonly PlannedStatement[];
  readonly inverse: readonly TableStep[];
}

/**
 * Plans the statements of steps in order, and leaves the resulting tables in `context`. Throws the errors of the
 * first invalid step.
 */
export function planSteps(
  context: PlanContext,
  steps: readonly TableStep[],
  at: StepPath,
): StepPlan {
  const original = new Map(context.tables);
  const statements: PlannedStatement[] = [];
  const inverse: TableStep[] = [];
  for (const [index, step] of steps.entries()) {
    const planned = withStepPath(at, index, () =>
      withFormulaIndexes(context, step, () =>
        planStep(context, step, droppedTables(steps.slice(index + 1))),
      ),
    );
    statements.push(...planned.statements.map((statement) => ({ ...statement, step: index })));
    inverse.unshift(...planned.inverse);
  }
  validateAllRules(context, original, { steps, at });
  return { statements: withViewStatements(context, original, { statements, steps }), inverse };
}

/** No column can change under a view; so the views of changed tables are dropped first, and created last. */
function withViewStatements(
  context: PlanContext,
  original: ReadonlyMap<string, Table>,
  {
    statements,
    steps,
  }: { readonly statements: PlannedStatement[]; readonly steps: readonly TableStep[] },
): PlannedStatement[] {
  const slugs = new Set(
    steps.filter(({ op }) => !VIEW_INDEPENDENT_OPS.has(op)).map(({ table }) => table),
  );
  for (const table of context.tables.values()) {
    const before = original.get(table.slug);
    if (!slugs.has(table.slug) || before?.id !== table.id || hasSameColumns(before, table))
      continue;
    context.tables.set(table.slug, { ...table, shape: before.shape + 1 });
  }
  const tablesWithView = (tables: ReadonlyMap<string, Table>) =>
    [...tables.values()].filter(({ slug }) => slugs.has(slug));
  const { partition } = context;
  return [
    ...tablesWithView(original).map((table) => ({ ...dropView({ partition, table }), step: 0 })),
    ...statements,
    ...tablesWithView(context.tables).map((table) => ({
      ...createView(partition, table),
      step: 0,
    })),
  ];
}

/** True when statements by the one schema would do the same by the other. */
function hasSameColumns(before: Table, after: Table): boolean {
  const [oldColumns, newColumns] = [before, after].map(({ columns }) =>
    columns.map(({ description: _, title: __, ...column }) => column),
  );
  return isDeepStrictEqual(oldColumns, newColumns);
}

/**
 * Steps that change nothing under a view. A unique index changes a column, but enforces itself on
 * statements by the schema before, and readers should not have to wait until it is built.
 */
const VIEW_INDEPENDENT_OPS: ReadonlySet<TableStep["op"]> = new Set([
  "alter_table",
  "add_index",
  "drop_index",
]);

function planStep(
  context: PlanContext,
  step: TableStep,
  droppedLater: ReadonlySet<string>,
): PlannedChange {
  switch (step.op) {
    case "create_table":
      return createTable(context, step);
    case "alter_table":
      return alterTable(context, step);
    case "drop_table":
      return dropTable(context, step, droppedLater);
    case "add_column":
      return addColumn(context, step);
    case "rename_column":
      return renameColumn(context, step);
    case "alter_column":
      return alterColumnStep(context, step);
    case "drop_column":
      return dropColumn(context, step);
    case "add_index":
      return addIndex(context, step);
    case "drop_index":
      return dropIndex(context, step);
  }
}

/** Validates the rules of changed tables, and rules with paths through them. */
function validateAllRules(
  context: PlanContext,
  original: ReadonlyMap<string, Table>,
  request: { readonly steps: readonly TableStep[]; readonly at: StepPath },
): void {
  const { partition, tables, others } = context;
  const all = [...others.values(), ...tables.values()];
  const related = new Map(all.map((table) => [table.slug, resolveTable(table, partition)]));
  for (const table of all) {
    const isChanged = tables.has(table.slug) && table !== original.get(table.slug);
    if (!isChanged && pathsOfRules(table, table.rules).length === 0) continue;
    const rules = validateRules(table, related, request);
    if (isChanged) tables.set(table.slug, { ...table, rules });
  }
}

/**
 * Validates rules against the table after all steps, so that one change may drop or add both a column and a rule
 * that names it.
 */
function validateRules(
  table: Table,
  related: RelatedTables,
  { steps, at }: { readonly steps: readonly TableStep[]; readonly at: StepPath },
): Rule[] {
  const schema = related.get(table.slug);
  const { rules, errors } = schema ? checkRules(schema, related) : { rules: [], errors: [] };
  const [first] = errors;
  if (!first) return rules;
  const ruleStep = steps.findLastIndex((step) => step.table === table.slug && "rules" in step);
  if (ruleStep !== -1) throw invalidAt(at, ruleStep, errors);
  const [, ruleNumber = ""] = /^\/rules\/(\d+)/.exec(first.path) ?? [];
  throw new Failure(ColumnInRule, {
    detail: `Rule ${ruleNumber} of ${table.slug} conflicts with this change: ${first.path} ${first.message}.`,
  });
}

function droppedTables(steps: readonly TableStep[]): ReadonlySet<string> {
  return new Set(steps.filter(({ op }) => op === "drop_table").map(({ table }) => table));
}

function withStepPath(at: StepPath, index: number, plan: () => PlannedChange): PlannedChange {
  try {
    return plan();
  } catch (error) {
    throw error instanceof StepErrors
      ? invalidAt(at, index, error.errors)
      : markFailedStep(error, index);
  }
}

/** Converts step errors to a failure with request paths. */
export function invalidAt(at: StepPath, index: number, stepErrors: readonly FieldError[]): Failure {
  const errors = stepErrors.map(({ path, message }) => ({ path: at(index, path), message }));
  const detail = `${errors[0]?.path} ${errors[0]?.message}`;
  return markFailedStep(new Failure(Invalid, { detail, errors }), index);
}
