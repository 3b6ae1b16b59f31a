/** The records that a condition holds for, held fast while something is done to them. */
import type { Condition } from "#kernel/condition/condition.ts";
import { Failure, type FailureType, failure } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { retryOnSchemaChange, readWithTable } from "#domains/tables/schema/table-cache.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { compileRules } from "#domains/tables/schema/rule-sql.ts";
import { SqlParameters, queryRows } from "#kernel/db/statement.ts";
import { filterOf } from "../read/record-query.ts";
import { recordGrants } from "../record-access.ts";

const RECORDS_MAX = 10_000;
const BYTES_MAX = 32 * 1024 * 1024;

export const TooManyRecords = failure(
  "too_many_records",
  422,
  `At most ${RECORDS_MAX} records, or ${BYTES_MAX / 1024 / 1024} MiB of them, can be dealt with at once.`,
);

/** How much one act may still take into its hands. */
export class RecordBudget {
  readonly #exceeded: FailureType;
  #records = RECORDS_MAX;
  #bytes = BYTES_MAX;

  constructor(exceeded: FailureType = TooManyRecords) {
    this.#exceeded = exceeded;
  }

  /** One more than may be taken, so that it shows when there are more. */
  get limit(): number {
    return this.#records + 1;
  }

  take(sizes: readonly number[]): void {
    this.#records -= sizes.length;
    for (const size of sizes) this.#bytes -= size;
    if (this.#records < 0 || this.#bytes < 0) throw new Failure(this.#exceeded);
  }
}

/** How fast records are held: against changes, or so that nothing new can refer to them either. */
export type LockedRecords = "for no key update" | "for update";

/**
 * Finds the ids of records and holds these until the act ends. What they amount to is known before
 * any is fetched.
 */
export async function lockWhere(
  ctx: WriteContext<never>,
  table: TableSchema,
  { where, values }: { readonly where: string; readonly values: readonly unknown[] },
  { hold, budget }: { readonly hold: LockedRecords; readonly budget: RecordBudget },
): Promise<string[]> {
  const text =
    `select id, octet_length("the row"::text) as size from ${table.view} as "the row" ` +
    `where ${where} order by id limit ${budget.limit} ${hold}`;
  const rows = await retryOnSchemaChange(ctx, () => queryRows(ctx.tx, text, values));
  budget.take(rows.map(({ size }) => size as number));
  return rows.map(({ id }) => id as string);
}

/**
 * The records that a caller's filter holds for, among those that they see and as they see them. It is
 * a condition, or the text of one from the query.
 */
export async function lockMatching(
  ctx: WriteContext<never>,
  table: TableSchema,
  filter: string | Condition,
  hold: LockedRecords,
): Promise<string[]> {
  const parameters = new SqlParameters();
  const sight = compileRules(table, recordGrants(table, "read", ctx.caller), parameters);
  const wanted = await readWithTable(ctx, table, () =>
    filterOf(table, filter, { sight, parameters }),
  );
  const where = [wanted, sight.where ?? "true"].map((part) => `(${part})`).join(" and ");
  const { values } = parameters;
  return lockWhere(ctx, table, { where, values }, { hold, budget: new RecordBudget() });
}
