import type { Tx } from "#kernel/db/connection.ts";
import { rowsOf } from "#kernel/db/statement.ts";
import type { ChangeRecord } from "../change.ts";
import { conflictsOf } from "../windows/conflicts.ts";
import { type Risk, riskOf } from "./risk.ts";

const HISTORY_DAYS = 180;
const DAY_MS = 86_400_000;

/** The risk of a change as it now is, among all that there is now. */
export async function assessed(tx: Tx, change: ChangeRecord, now: Date): Promise<Risk> {
  const { impact, type, ciIds } = change;
  const since = new Date(now.getTime() - HISTORY_DAYS * DAY_MS);
  const [classes, dependants, history, conflicts] = await Promise.all([
    classesOf(tx, ciIds),
    dependantsOf(tx, ciIds),
    historyOf(tx, change, since),
    conflictsOf(tx, change),
  ]);
  return riskOf({
    impact,
    type,
    classes,
    dependants,
    history,
    conflicts: {
      changes: conflicts.changes.length,
      blackoutWindows: conflicts.blackoutWindows.length,
    },
  });
}

async function classesOf(tx: Tx, itemIds: readonly string[]): Promise<readonly string[]> {
  if (itemIds.length === 0) return [];
  const rows = await tx
    .selectFrom("cmdb_items")
    .select("class")
    .where("id", "in", itemIds)
    .execute();
  return rows.map((row) => row.class);
}

/** What breaks with an item is at the beginning of a relationship to it; a connection breaks nothing. */
const DEPENDANTS = `
  select count(distinct from_id) as count from cmdb_relationships
   where to_id = any($1::text[])
     and type = any('{depends_on,hosted_on,member_of,uses}'::text[])
     and from_id <> all($1::text[])`;

async function dependantsOf(tx: Tx, itemIds: readonly string[]): Promise<number> {
  if (itemIds.length === 0) return 0;
  const [row] = await rowsOf(tx, DEPENDANTS, [itemIds]);
  return Number(row?.["count"]);
}

const HISTORY = `
  select count(*) as ended, count(*) filter (where state = 'rolled_back') as "rolledBack"
    from changes
   where id in (select ticket_id from ticket_items where item_id = any($1::text[]) and kind = 'change')
     and id <> $2 and state = any('{completed,rolled_back}'::text[])
     and coalesce(rolled_back_at, completed_at) >= $3`;

async function historyOf(tx: Tx, { id, ciIds }: ChangeRecord, since: Date) {
  if (ciIds.length === 0) return { ended: 0, rolledBack: 0 };
  const [row] = await rowsOf(tx, HISTORY, [ciIds, id, since]);
  return { ended: Number(row?.["ended"]), rolledBack: Number(row?.["rolledBack"]) };
}
