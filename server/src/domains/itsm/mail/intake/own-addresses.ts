import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";

/** The addresses of all mailboxes of the partition. */
export async function findOwnAddresses(tx: Tx): Promise<readonly string[]> {
  const rows = await queryRows(tx, "select address from mailboxes", []);
  return rows.map(({ address }) => String(address));
}
