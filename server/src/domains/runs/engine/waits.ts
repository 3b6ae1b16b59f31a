import type { WriteContext } from "#kernel/operation.ts";
import type { Execution } from "./execution.ts";
import type { JournalRecord } from "./record.ts";

const WAIT = `
  insert into run_waits (run_id, path, topic, event_type, filter, since_epoch)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (run_id, path) do update
     set topic = excluded.topic, event_type = excluded.event_type, filter = excluded.filter,
         since_epoch = excluded.since_epoch, since = excluded.since`;
const WAIT_NO_MORE =
  "delete from run_waits where run_id = $1 and ($2::text[] is null or path = any($2))";

/** Keeps the list of those who wait for an event as the journal has it. */
export function keepWaits(
  ctx: WriteContext<never>,
  { facts, hasWaits }: Pick<Execution, "facts" | "hasWaits">,
  records: readonly JournalRecord[],
  over: boolean,
): void {
  const { id } = facts;
  if (over) {
    if (hasWaits) void ctx.send(WAIT_NO_MORE, [id, null]);
    return;
  }
  for (const { path, wait, status } of records) {
    if (wait?.kind !== "event") continue;
    if (status !== "waiting") void ctx.send(WAIT_NO_MORE, [id, [path]]);
    else {
      const filter = wait.filter ? JSON.stringify(wait.filter) : null;
      const { epoch } = ctx.services;
      void ctx.send(WAIT, [id, path, wait.topic, wait.eventType ?? null, filter, epoch]);
    }
  }
}
