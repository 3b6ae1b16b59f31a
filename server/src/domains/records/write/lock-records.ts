/** Locks matching records until the transaction ends. */
import type { Condition } from "#kernel/condition/condition.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { SqlParameters, queryRows } from "#kernel/db/statement.ts";
import { Failure, type FailureType, failure } from "#kernel/operation/failure.ts";
import type { OpenTable } from "#domains/tables/index.ts";
import { compileFilter } from "../read/record-query.ts";

const RECORDS_MAX = 10_000;
const BYTES_MAX = 32 * 1024 * 1024;

export const TooManyRecords = failure(
  "too_many_records",
  422,
  `At most ${RECORDS_MAX} records, or ${BYTES_MAX / 1024 / 1024} MiB of records, can be changed at once.`,
);

/** The records that one transaction may still lock. */
export class RecordBudget {
  readonly #exceeded: FailureType;
  #records = RECORDS_MAX;
  #bytes = BYTES_MAX;

  constructor(exceeded: FailureType = TooManyRecords) {
    this.#exceeded = exceeded;
  }

  /** Returns the maximum plus one, to detect that more exist. */
  get limit(): number {
    return this.#records + 1;
  }

  take(sizes: readonly number[]): void {
    this.#records -= sizes.length;
    for (const size of sizes) this.#bytes -= size;
    if (this.#records < 0 || this.#bytes < 0) throw new Failure(this.#exceeded);
  }
}

/** The lock strength: against changes, or also against new references. */
export type LockStrength = "for no key update" | "for update";

/** The name of the row in the condition of `lockWhere`. */
export const ROW = '"the row"';

/** Locks records and returns their ids. Their size is known before they are read. */
export async function lockWhere(
  ctx: WriteContext<never>,
  table: OpenTable,
  { where, values }: { readonly where: string; readonly values: readonly unknown[] },
  { strength, budget }: { readonly strength: LockStrength; readonly budget: RecordBudget },
): Promise<string[]> {
  const text =
    `select id, octet_length(${ROW}::text) as size from ${table.schema.view} as ${ROW} ` +
    `where ${where} order by id limit ${budget.limit} ${strength}`;
  const rows = await table.retryOnSchemaChange(() => queryRows(ctx.tx, text, values));
  budget.take(rows.map(({ size }) => size as number));
  return rows.map(({ id }) => id as string);
}

/** Locks the given records that exist and are visible to the caller. */
export async function lockVisible(
  ctx: WriteContext<never>,
  table: OpenTable,
  ids: readonly string[],
  lock: { readonly strength: LockStrength; readonly budget: RecordBudget },
): Promise<string[]> {
  const parameters = new SqlParameters();
  const rules = table.compileRules(parameters, ROW);
  const where = `id = any(${parameters.add(ids, "text[]")}) and (${rules.where ?? "true"})`;
  return lockWhere(ctx, table, { where, values: parameters.values }, lock);
}

/** Locks the records that match a filter, among the records and fields that are visible to the caller. */
export async function lockMatching(
  ctx: WriteContext<never>,
  table: OpenTable,
  filter: string | Condition,
  strength: LockStrength,
): Promise<string[]> {
  const parameters = new SqlParameters();
  const rules = table.compileRules(parameters, ROW);
  const condition = await table.parse(() => compileFilter(table, filter, { rules, parameters }));
  const where = [condition, rules.where ?? "true"].map((part) => `(${part})`).join(" and ");
  const { values } = parameters;
  return lockWhere(ctx, table, { where, values }, { strength, budget: new RecordBudget() });
}
