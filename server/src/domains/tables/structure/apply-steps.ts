import { isDeepStrictEqual } from "node:util";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { findRoleNames } from "#domains/identity/roles/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { queryRows } from "#kernel/db/statement.ts";
import * as store from "../store.ts";
import { type Table, TABLES_MAX } from "../table.ts";
import { markFailedStep } from "./failed-step.ts";
import { tableSql } from "../sql-names.ts";
import { becomeOwner, shownOf } from "./ddl.ts";
import {
  referTo,
  shownIn,
  TableCreated,
  TableDropped,
  TableUpdated,
  toldChange,
} from "./events.ts";
import { failureOf, TooManyTables } from "./failures.ts";
import { invalidAt, type PathOf, type Plan, planSteps } from "./plan-steps.ts";
import type { PlanContext } from "./plan-context.ts";
import { customRolesOf } from "./check-rules.ts";
import type { Step } from "./step.ts";

/** What became of the tables that steps changed. */
export interface AppliedSteps {
  /** What was run, as people may see it. */
  readonly statements: readonly string[];
  /** The steps that undo it. */
  readonly inverse: readonly Step[];
  readonly dropped: readonly Table[];
  readonly created: readonly Table[];
  readonly updated: readonly { readonly before: Table; readonly after: Table }[];
}

/** Takes steps as `takeSteps` does, and emits one event for each table that they changed. */
export async function applySteps(
  ctx: WriteContext<typeof TableCreated | typeof TableUpdated | typeof TableDropped>,
  steps: readonly Step[],
  at?: PathOf,
): Promise<AppliedSteps> {
  const taken = await runSteps(ctx, steps, at);
  for (const table of taken.dropped) ctx.emit(TableDropped, referTo(table), shownIn(table));
  for (const table of taken.created) ctx.emit(TableCreated, referTo(table), shownIn(table));
  for (const change of taken.updated) ctx.emit(TableUpdated, ...toldChange(change));
  return taken;
}

/**
 * Takes steps, all or none: changes the tables themselves and what is known of them. Whoever calls it
 * must emit what became of each. What is wrong with a step is told with the path that `at` gives. When
 * it throws, the transaction is of no use any more, but for who rolls it back to a savepoint.
 */
export async function runSteps(
  ctx: ReadContext,
  steps: readonly Step[],
  at: PathOf = (index, path) => `/${index}${path}`,
): Promise<AppliedSteps> {
  await store.lockStructure(ctx.tx);
  const planning = await lookUp(ctx, steps);
  const before = new Map(planning.tables);
  const plan = planSteps(planning, steps, at);
  await checkRoles(ctx.tx, steps, at);
  await run(ctx.tx, planning, { plan, steps, at });
  return {
    statements: plan.statements
      .filter(({ inner }) => !inner)
      .map((statement) => shownOf(statement, planning.partition)),
    inverse: plan.inverse,
    ...(await save(ctx, before, planning.tables)),
  };
}

/** What the steps are about: the tables that they name, and those that refer to what they drop. */
async function lookUp(
  { tx, now, caller }: ReadContext,
  steps: readonly Step[],
): Promise<PlanContext> {
  const partition = partitionOfCaller(caller);
  const dropped = steps.filter(({ op }) => op === "drop_table").map(({ table }) => table);
  const found = await store.lockTables(tx, { slugs: slugsOf(steps), referringTo: dropped });
  const tables = new Map(found.map((table) => [table.slug, table]));
  const time = now.toISOString();
  return {
    partition,
    tables,
    filled: await filledOf(tx, { partition, tables }, steps),
    blank: () => ({
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

function slugsOf(steps: readonly Step[]): string[] {
  const targets = steps.flatMap((step) => {
    if (step.op === "create_table") return step.columns.map(({ options }) => options?.["table"]);
    if (step.op === "add_column") return [step.column.options?.["table"]];
    return step.op === "alter_column" ? [step.change.options?.["table"]] : [];
  });
  const named = targets.filter((target) => typeof target === "string");
  return [...new Set([...steps.map(({ table }) => table), ...named])];
}

/** Which tables have records, of those where that makes a difference. */
async function filledOf(
  tx: Tx,
  { partition, tables }: Pick<PlanContext, "partition" | "tables">,
  steps: readonly Step[],
): Promise<ReadonlySet<string>> {
  const asked = new Set(
    steps
      .filter((step) => step.op === "add_column" && step.optionalIfFilled)
      .map((step) => step.table),
  );
  const filled = new Set<string>();
  for (const slug of asked) {
    const table = tables.get(slug);
    if (!table) continue;
    const rows = await queryRows(tx, `select from ${tableSql({ partition, table })} limit 1`, []);
    if (rows.length > 0) filled.add(slug);
  }
  return filled;
}

async function checkRoles(tx: Tx, steps: readonly Step[], at: PathOf): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const rules = "rules" in step ? (step.rules ?? []) : [];
    const roles = customRolesOf(rules);
    if ((await findRoleNames(tx, roles)).length === roles.length) continue;
    for (const role of roles) {
      if ((await findRoleNames(tx, [role])).length > 0) continue;
      const rule = rules.findIndex(({ roles: named }) => named.includes(role));
      const place = rules[rule]?.roles.indexOf(role) ?? 0;
      throw invalidAt(at, index, [
        { path: `/rules/${rule}/roles/${place}`, message: "is not a role" },
      ]);
    }
  }
}

/** Changes the tables themselves, as their owner. */
async function run(
  tx: Tx,
  { partition }: PlanContext,
  { plan, steps, at }: { plan: Plan; steps: readonly Step[]; at: PathOf },
): Promise<void> {
  if (plan.statements.length === 0) return;
  if (steps.some(({ op }) => op === "create_table")) {
    await queryRows(tx, "select make_user_schema()", []);
  }
  await queryRows(tx, CHANGE, [becomeOwner(partition)]);
  for (const { text, fields = [], step } of plan.statements) {
    try {
      await queryRows(tx, CHANGE, [text]);
    } catch (error) {
      const { op = "", table = "" } = steps[step] ?? {};
      const failure = failureOf(error, { table, fields, path: at(step, PLACES[op] ?? "") });
      throw markFailedStep(failure ?? error, step);
    }
  }
  await queryRows(tx, CHANGE, ["set local role none"]);
}

/** Not as texts of their own: each would be prepared, and kept by every connection for good. */
const CHANGE = "select change_structure($1)";

/** What of a step is at fault when the data does not fit. */
const PLACES: Readonly<Record<string, string>> = {
  add_column: "/column",
  alter_column: "/change",
  add_index: "/columns",
};

/** Keeps what is known of the tables. */
async function save(
  { tx, now }: ReadContext,
  before: ReadonlyMap<string, Table>,
  planned: ReadonlyMap<string, Table>,
): Promise<Pick<AppliedSteps, "dropped" | "created" | "updated">> {
  const dropped = [...before.values()].filter(({ slug, id }) => planned.get(slug)?.id !== id);
  for (const { id } of dropped) await store.removeTable(tx, id);
  const created: Table[] = [];
  const updated: { before: Table; after: Table }[] = [];
  for (const table of planned.values()) {
    const old = before.get(table.slug);
    if (old?.id !== table.id) created.push(await store.insertTable(tx, table));
    // What says only what was there already leaves the table, and who has read it, as they are.
    else if (!isDeepStrictEqual(old, table)) {
      updated.push({ before: old, after: await store.updateTable(tx, table, now) });
    }
  }
  if (created.length > 0 && (await store.countTables(tx)) > TABLES_MAX) {
    throw new Failure(TooManyTables);
  }
  return { dropped, created, updated };
}
