/**
 * Closes resolved incidents automatically. The due time depends on a setting that can change, so no job is enqueued
 * at resolution; an index finds due incidents.
 */
import Type from "typebox";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { readTicketSettings, DEFAULT_SETTINGS } from "../tickets/index.ts";
import type { Partition } from "#kernel/db/database.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { job } from "#kernel/work/job.ts";
import { IncidentClosed } from "./incident.ts";
import { incidentCommands } from "./kind.ts";
import { lockResolved } from "./store.ts";

const DAY_MS = 24 * 3_600_000;
const EVERY_MS = 60_000;
const BATCH_INCIDENTS_MAX = 200;
const PARTITIONS_MAX = 1_000;

/** Closes due incidents in one workspace and environment, in batches. */
export const autoCloseJob = job({
  kind: "incidents.close_resolved",
  payload: Type.Object({}),
  emits: [IncidentClosed],
  async run(ctx) {
    const { autoCloseDays } = await readTicketSettings(ctx.tx);
    if (autoCloseDays === 0) return;
    const by = new Date(ctx.now.getTime() - autoCloseDays * DAY_MS);
    const due = await lockResolved(ctx.tx, by, BATCH_INCIDENTS_MAX);
    for (const incident of due) {
      // Each incident has its own causal chain, because they are unrelated.
      ctx.setActor(SYSTEM_ACTOR, { correlationId: newCorrelationId(ctx.services.clock), depth: 0 });
      await incidentCommands.perform(ctx, incident, { action: "close", event: IncidentClosed });
      ctx.flush();
    }
    if (due.length === BATCH_INCIDENTS_MAX) ctx.enqueue(autoCloseJob, {}, ONCE);
  },
});

/** At most one waiting job per partition. */
const ONCE = { key: "due" };

const DUE_PARTITIONS = `
  select w.key as workspace, e.environment
    from workspaces w
    left join desk_settings s on s.workspace_id = w.key
    cross join unnest(enum_range(null::environment)) as e (environment)
   where coalesce(s.auto_close_days, $2::integer) > 0
     and exists (select from incidents i
                  where i.workspace_id = w.key and i.environment = e.environment
                    and i.state = 'resolved'
                    and i.resolved_at
                        <= $1::timestamptz - coalesce(s.auto_close_days, $2::integer) * interval '24 hours')
   limit $3`;

/** Finds partitions with due incidents. Runs as the system, across all workspaces. */
export const findAutoCloseable = job({
  kind: "incidents.find_resolved",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  effect: ({ db, clock }) =>
    db.system<Partition>(DUE_PARTITIONS, [
      clock.now(),
      DEFAULT_SETTINGS.autoCloseDays,
      PARTITIONS_MAX,
    ]),
  async run(ctx, _payload, partitions) {
    for (const partition of partitions) {
      ctx.switchPartition(partition);
      ctx.enqueue(autoCloseJob, {}, ONCE);
    }
  },
});
