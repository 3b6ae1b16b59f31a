/** Extension point for domains that store column names: they rename them in the same transaction. */
import type { ReadContext } from "#kernel/contract.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";

/** A renamed column of a table. */
export interface RenamedColumn {
  readonly table: string;
  readonly from: string;
  readonly to: string;
}

export interface ColumnFollower {
  /** Renames the column in all dependents; in a write transaction. */
  readonly rename: (tx: ReadContext["tx"], column: RenamedColumn) => Promise<void>;
}

/** Extension point for objects that contain column names. */
export const ColumnFollowerPoint = extensionPoint<ColumnFollower>("tables.column_followers");

/** Updates everything that names a column renamed by these steps, in order. */
export async function followRenames(
  { tx, services }: Pick<ReadContext, "tx" | "services">,
  steps: readonly ({ readonly op: string } & Partial<RenamedColumn>)[],
): Promise<void> {
  const followers = contributionsTo(ColumnFollowerPoint, services.contributions);
  for (const step of steps) {
    const { op, table, from, to } = step;
    if (op !== "rename_column" || table === undefined || from === undefined) continue;
    if (to === undefined || from === to) continue;
    for (const { rename } of followers) await rename(tx, { table, from, to });
  }
}
