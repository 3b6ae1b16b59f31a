import { isDeepStrictEqual } from "node:util";
import { followRenames } from "../schema/column-rename.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { findRoleNames } from "#domains/identity/roles/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { ownerOf } from "#kernel/db/sql-runner.ts";
import { queryRows } from "#kernel/db/statement.ts";
import * as store from "../store.ts";
import { type Table, TABLES_MAX } from "../table.ts";
import { tableSql } from "../sql-names.ts";
import { toPublicSql } from "./ddl.ts";
import {
  emitTableChanges,
  type TableChanges,
  type TableEvent,
  type TableUpdate,
} from "../events.ts";
import { markFailedStep, toStructureFailure, TooManyTables } from "./failures.ts";
import { invalidAt, type StepPath, type StepPlan, planSteps } from "./plan-steps.ts";
import type { PlanContext } from "./plan-context.ts";
import { checkComputed, isWithinBudget } from "../schema/check-computation.ts";
import { customRolesOf } from "../schema/check-rules.ts";
import { linkTargetOf } from "../columns/reference.ts";
import { isComputed } from "../columns/registry.ts";
import type { TableStep } from "./step.ts";

/** The executed steps, and the changed tables. */
export interface AppliedSteps extends TableChanges {
  /** The executed statements, except internal ones. */
  readonly statements: readonly string[];
  /** The steps that undo it. */
  readonly inverse: readonly TableStep[];
}

/** Runs steps, and emits one event per changed table. */
export async function applySteps(
  ctx: WriteContext<TableEvent>,
  steps: readonly TableStep[],
  at?: StepPath,
): Promise<AppliedSteps> {
  const applied = await runSteps(ctx, steps, at);
  emitTableChanges(ctx, applied);
  return applied;
}

/**
 * Runs steps, all or none: changes the tables and their definitions. The caller emits the events. Errors have the
 * paths that `at` returns. After an error, the transaction must be rolled back, at least to a savepoint.
 */
export async function runSteps(
  ctx: ReadContext,
  steps: readonly TableStep[],
  at: StepPath = (index, path) => `/${index}${path}`,
): Promise<AppliedSteps> {
  await store.lockStructure(ctx.tx);
  const planContext = await readPlanContext(ctx, steps);
  const before = new Map(planContext.tables);
  const plan = planSteps(planContext, steps, at);
  await checkRoles(ctx.tx, steps, at);
  await checkComputedColumns(ctx.tx, planContext, steps, at);
  await runStatements(ctx.tx, planContext, { plan, steps, at });
  await followRenames(ctx, steps);
  return {
    statements: plan.statements
      .filter(({ isInternal }) => !isInternal)
      .map((statement) => toPublicSql(statement, planContext.partition)),
    inverse: plan.inverse,
    ...(await saveTables(ctx, before, planContext.tables)),
  };
}

/** Locks the tables of the steps, including tables referencing a dropped one. */
async function readPlanContext(
  { tx, now, caller }: ReadContext,
  steps: readonly TableStep[],
): Promise<PlanContext> {
  const partition = partitionOfCaller(caller);
  const dropped = steps.filter(({ op }) => op === "drop_table").map(({ table }) => table);
  const renames = steps.some(({ op }) => op === "rename_column");
  const all = await store.listTables(tx);
  // Computed columns and rules of any table may refer to the renamed one.
  const renamed = renames ? all.map(({ slug }) => slug) : [];
  const slugs = [...new Set([...slugsOf(steps), ...renamed])];
  const found = await store.lockTables(tx, { slugs, referringTo: dropped });
  const linked = found.flatMap(({ columns }) =>
    columns.flatMap((column) => linkTargetOf(column) ?? []),
  );
  const others = await store.lockTables(tx, { slugs: linked, referringTo: [] });
  const tables = new Map([...found, ...others].map((table) => [table.slug, table]));
  const time = now.toISOString();
  return {
    partition,
    tables,
    others: new Map(all.flatMap((table) => (tables.has(table.slug) ? [] : [[table.slug, table]]))),
    filledTables: await findFilledTables(tx, { partition, tables }, steps),
    newTable: () => ({
      id: newId("tbl", now.getTime()),
      createdBy: caller.actor.id,
      createdAt: time,
      updatedAt: time,
      revision: 1,
      renamedRevision: 0,
      shape: 1,
    }),
  };
}

function slugsOf(steps: readonly TableStep[]): string[] {
  const targets = steps.flatMap((step) => {
    if (step.op === "create_table") return step.columns.map(({ options }) => options?.["table"]);
    if (step.op === "add_column") return [step.column.options?.["table"]];
    return step.op === "alter_column" ? [step.change.options?.["table"]] : [];
  });
  const named = targets.filter((target) => typeof target === "string");
  return [...new Set([...steps.map(({ table }) => table), ...named])];
}

/** The slugs of the tables with records, among those for which it matters. */
async function findFilledTables(
  tx: Tx,
  { partition, tables }: Pick<PlanContext, "partition" | "tables">,
  steps: readonly TableStep[],
): Promise<ReadonlySet<string>> {
  const slugs = new Set(
    steps
      .filter((step) => step.op === "add_column" && step.optionalIfFilled)
      .map((step) => step.table),
  );
  const filled = new Set<string>();
  for (const slug of slugs) {
    const table = tables.get(slug);
    if (!table) continue;
    const rows = await queryRows(tx, `select from ${tableSql({ partition, table })} limit 1`, []);
    if (rows.length > 0) filled.add(slug);
  }
  return filled;
}

async function checkRoles(tx: Tx, steps: readonly TableStep[], at: StepPath): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const rules = "rules" in step ? (step.rules ?? []) : [];
    const roles = customRolesOf(rules);
    if ((await findRoleNames(tx, roles)).length === roles.length) continue;
    for (const role of roles) {
      if ((await findRoleNames(tx, [role])).length > 0) continue;
      const rule = rules.findIndex(({ roles: named }) => named.includes(role));
      const position = rules[rule]?.roles.indexOf(role) ?? 0;
      throw invalidAt(at, index, [
        { path: `/rules/${rule}/roles/${position}`, message: "is not a role" },
      ]);
    }
  }
}

/** Checks the computed columns that steps define, among all tables as they will be. */
async function checkComputedColumns(
  tx: Tx,
  { partition, tables }: PlanContext,
  steps: readonly TableStep[],
  at: StepPath,
): Promise<void> {
  const defined = steps.flatMap((step, index) =>
    definedColumns(step).map((it) => ({ ...it, index })),
  );
  const computed = defined.filter(({ slug, name }) =>
    tables.get(slug)?.columns.some((column) => column.name === name && isComputed(column)),
  );
  if (computed.length === 0) return;
  const all = new Map((await store.listTables(tx)).map((table) => [table.slug, table]));
  for (const slug of all.keys()) if (isDropped(slug, steps, tables)) all.delete(slug);
  for (const [slug, table] of tables) all.set(slug, table);
  for (const { slug, name, path, index } of computed) {
    const errors = checkComputed({ slug, name }, all, partition);
    if (errors.length === 0) continue;
    throw invalidAt(
      at,
      index,
      // An index that a step adds counts as one of its columns.
      errors.map((error) => ({
        ...error,
        path: path + (steps[index]?.op === "add_index" ? "" : error.path),
      })),
    );
  }
  for (const slug of new Set(computed.map((each) => each.slug))) {
    if (isWithinBudget(slug, all, partition)) continue;
    const last = computed.findLast((each) => each.slug === slug);
    throw invalidAt(at, last?.index ?? 0, [
      {
        path: `${last?.path}/options`,
        message: "makes the computed fields of the table too slow to list",
      },
    ]);
  }
}

function isDropped(
  slug: string,
  steps: readonly TableStep[],
  tables: ReadonlyMap<string, Table>,
): boolean {
  return !tables.has(slug) && steps.some(({ op, table }) => op === "drop_table" && table === slug);
}

/** Returns the defined columns with paths. */
function definedColumns(step: TableStep) {
  const { table: slug } = step;
  if (step.op === "create_table") {
    return step.columns.map(({ name }, index) => ({ slug, name, path: `/columns/${index}` }));
  }
  if (step.op === "add_column") return [{ slug, name: step.column.name, path: "/column" }];
  if (step.op === "add_index" && step.columns.length === 1) {
    return step.columns.map((name) => ({ slug, name, path: "/columns/0" }));
  }
  return step.op === "alter_column" ? [{ slug, name: step.column, path: "/change" }] : [];
}

/** Changes the tables themselves, as their owner. */
async function runStatements(
  tx: Tx,
  { partition }: PlanContext,
  { plan, steps, at }: { plan: StepPlan; steps: readonly TableStep[]; at: StepPath },
): Promise<void> {
  if (plan.statements.length === 0) return;
  if (steps.some(({ op }) => op === "create_table")) {
    await queryRows(tx, "select make_user_schema()", []);
  }
  for (const { text, fields = [], step } of plan.statements) {
    try {
      await changeStructure(tx, partition, text);
    } catch (error) {
      const { op = "", table = "" } = steps[step] ?? {};
      const path = at(step, ERROR_PATHS[op] ?? "");
      throw markFailedStep(toStructureFailure(error, { table, fields, path }) ?? error, step);
    }
  }
}

/**
 * Runs a statement as the owner of the partition's tables, a role without any other access. After an error, the
 * transaction must be rolled back, at least to a savepoint, which resets the role too.
 */
export async function changeStructure(
  tx: Tx,
  partition: Partition,
  statement: string,
): Promise<void> {
  await queryRows(tx, "select change_structure($1, $2)", [ownerOf(partition), statement]);
}

/** The step field to report when existing data does not fit. */
const ERROR_PATHS: Readonly<Record<string, string>> = {
  add_column: "/column",
  alter_column: "/change",
  add_index: "/columns",
};

/** Saves the definitions of the tables. */
async function saveTables(
  { tx, now }: ReadContext,
  before: ReadonlyMap<string, Table>,
  planned: ReadonlyMap<string, Table>,
): Promise<TableChanges> {
  const dropped = [...before.values()].filter(({ slug, id }) => planned.get(slug)?.id !== id);
  for (const { id } of dropped) await store.removeTable(tx, id);
  const created: Table[] = [];
  const updated: TableUpdate[] = [];
  for (const table of planned.values()) {
    const previous = before.get(table.slug);
    if (previous?.id !== table.id) created.push(await store.insertTable(tx, table));
    // Steps without effect do not change the revision, so all caches stay valid.
    else if (!isDeepStrictEqual(previous, table)) {
      updated.push({ before: previous, after: await store.updateTable(tx, table, now) });
    }
  }
  if (created.length > 0 && (await store.countTables(tx)) > TABLES_MAX) {
    throw new Failure(TooManyTables);
  }
  return { dropped, created, updated };
}
