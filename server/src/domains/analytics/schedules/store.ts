import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Item } from "#kernel/resource/resource.ts";
import { tableStore } from "#kernel/resource/table.ts";
import { type MailOutcome, ReportSchedule } from "./schedule.ts";

export type StoredSchedule = Item<typeof ReportSchedule>;

export const scheduleTable = {
  table: "report_schedules",
  schema: ReportSchedule,
  json: ["schedule", "outcomes"],
} as const;

export const scheduleStore = tableStore<typeof ReportSchedule>(scheduleTable);

/** Saves the next due time. This is not a user's change, so the revision stays the same. */
export async function noteNext(tx: Tx, id: string, nextAt: string | null): Promise<void> {
  await queryRows(tx, "update report_schedules set next_at = $2 where id = $1", [id, nextAt]);
}

const NOTE_OUTCOME = `
  update report_schedules
     set sent_at = case when $3 then $4 else sent_at end,
         outcomes = (select coalesce(jsonb_agg(o), '[]') from jsonb_array_elements(outcomes) o
                      where o ->> 'userId' = any (recipients) and o ->> 'userId' <> $5) || $2::jsonb
   where id = $1`;

/** Saves the result of an e-mail, and replaces the previous one for the same recipient. */
export async function noteOutcome(tx: Tx, id: string, outcome: MailOutcome): Promise<void> {
  const { state, at, userId } = outcome;
  const values = [id, JSON.stringify([outcome]), state === "sent", at, userId];
  await queryRows(tx, NOTE_OUTCOME, values);
}
