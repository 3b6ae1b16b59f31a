import { sql } from "kysely";
import Type from "typebox";
import type { UnattendedItem, UnattendedWork } from "#kernel/contributions/unattended-work.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Item } from "#kernel/resource/resource.ts";
import { tableStore } from "#kernel/resource/table.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { Alert, type AlertHistoryEntry } from "./alert.ts";

const StoredAlert = Type.Object({
  ...Alert.properties,
  streak: Type.Integer(),
  permissions: nullable(Type.Array(Type.String())),
});
export type StoredAlert = Item<typeof Alert, typeof StoredAlert>;

export const alertTable = {
  table: "alerts",
  schema: Alert,
  stored: StoredAlert,
  json: ["report", "rule"],
} as const;

export const alertStore = tableStore<typeof Alert, typeof StoredAlert>(alertTable);

/** Saves the result of a check. This is not a user's change, so the revision stays the same. */
export async function noteCheck(
  tx: Tx,
  id: string,
  found: Pick<StoredAlert, "state" | "streak" | "value" | "reason" | "since" | "checkedAt">,
): Promise<void> {
  const { state, streak, value, reason, since, checkedAt } = found;
  await sql`update alerts
               set state = ${state}, streak = ${streak}, value = ${value}, reason = ${reason},
                   since = ${since}, checked_at = ${checkedAt}
             where id = ${id}`.execute(tx);
}

export async function insertChange(tx: Tx, id: string, entry: AlertHistoryEntry): Promise<void> {
  await tx
    .insertInto("alert_changes")
    .values({ alert_id: id, ...entry })
    .execute();
}

/** Newest first; `before` is the time of the last item of the previous page. */
export async function listChanges(
  tx: Tx,
  id: string,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<AlertHistoryEntry[]> {
  const rows = await tx
    .selectFrom("alert_changes")
    .select(["at", "state", "value", "reason"])
    .where("alert_id", "=", id)
    .$if(before !== undefined, (query) => query.where("at", "<", before ?? ""))
    .orderBy("at", "desc")
    .limit(limit)
    .execute();
  return rows as unknown as AlertHistoryEntry[];
}

/** Alerts that act in the name of a member. */
export const unattendedAlerts: UnattendedWork = {
  kind: "alert",
  list: async (tx, userId, limit) =>
    await queryRows<UnattendedItem>(
      tx,
      "select id, name, environment from alerts where run_as = $1 order by id limit $2",
      [userId, limit],
    ),
};
