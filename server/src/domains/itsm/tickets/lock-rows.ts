import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";

/** Rows of one table that are to be changed. */
export interface LockQuery {
  readonly table: string;
  /** What stands behind `select`. */
  readonly select: string;
  /** What stands behind `where`, with `$1` for the operand, and behind it their order, if any. */
  readonly where: string;
}

/**
 * Locks rows, so that two changes take turns, and reads them then. A statement that does both sees the
 * rows as they are when its turn has come, but what it selects from other tables, such as the items of a
 * ticket, as that was when it began to wait. Both leave together.
 */
export async function lockRows(
  tx: Tx,
  { table, select, where }: LockQuery,
  operand: unknown,
): Promise<SqlRow[]> {
  const [, rows] = await Promise.all([
    queryRows(tx, `select from ${table} where ${where} for update`, [operand]),
    queryRows(tx, `select ${select} from ${table} where ${where}`, [operand]),
  ]);
  return rows;
}
