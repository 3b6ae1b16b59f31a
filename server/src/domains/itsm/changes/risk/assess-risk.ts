import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { weightOf } from "../../cmdb/index.ts";
import type { ChangeRecord } from "../change.ts";
import { findConflicts } from "../windows/conflicts.ts";
import { type Risk, computeRisk } from "./risk.ts";

const HISTORY_DAYS = 180;
const DAY_MS = 86_400_000;

/** Computes the risk from the affected items, their history and conflicts. */
export async function assessRisk(tx: Tx, change: ChangeRecord, now: Date): Promise<Risk> {
  const { impact, type, ciIds } = change;
  const since = new Date(now.getTime() - HISTORY_DAYS * DAY_MS);
  const [weight, history, conflicts] = await Promise.all([
    weightOf(tx, ciIds),
    readHistory(tx, change, since),
    findConflicts(tx, change),
  ]);
  return computeRisk({
    impact,
    type,
    ...weight,
    history,
    conflicts: {
      changes: conflicts.changes.length,
      blackoutWindows: conflicts.blackoutWindows.length,
    },
  });
}

const HISTORY = `
  select count(*) as ended, count(*) filter (where state = 'rolled_back') as "rolledBack"
    from changes
   where id in (select ticket_id from ticket_items where item_id = any($1::text[]) and kind = 'change')
     and id <> $2 and state = any('{completed,rolled_back}'::text[])
     and coalesce(rolled_back_at, completed_at) >= $3`;

async function readHistory(tx: Tx, { id, ciIds }: ChangeRecord, since: Date) {
  if (ciIds.length === 0) return { ended: 0, rolledBack: 0 };
  const [row] = await queryRows(tx, HISTORY, [ciIds, id, since]);
  return { ended: Number(row?.["ended"]), rolledBack: Number(row?.["rolledBack"]) };
}
