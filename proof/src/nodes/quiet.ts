import { setTimeout as pause } from "node:timers/promises";
import type { SharedDatabase } from "./database.ts";

const LOOK_MS = 250;

/** Remaining work by kind. */
const LEFT: Readonly<Record<string, string>> = {
  events: `
    select r.name || ' is behind' as what from readers r
     where exists (select from events e where (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq))`,
  runs: "select id || ' is ' || status as what from runs where finished_at is null",
  deliveries: "select id || ' is ' || status as what from deliveries where due_at is not null",
  clocks: "select ticket_id || ' has time' as what from sla_clocks where next_at is not null",
  jobs: `
    select kind || ' is due' as what from jobs
     where failed_at is null and (due_at <= now() or claimed_at is not null)`,
  "scheduled jobs":
    "select artifact_id || ' is claimed' as what from scheduled_jobs where claim is not null",
};

/** Waits until no work is left. Returns the remaining work after the timeout. */
export async function untilQuiet({ rows }: SharedDatabase, maxMs: number): Promise<string[]> {
  const limit = Date.now() + maxMs;
  for (;;) {
    const left: string[] = [];
    for (const [kind, query] of Object.entries(LEFT)) {
      const [first, ...others] = await rows(query);
      if (first) left.push(`${kind} left: ${first.what} and ${others.length} more`);
    }
    if (left.length === 0 || Date.now() > limit) return left;
    await pause(LOOK_MS);
  }
}

/** Waits until scheduled work is on time, including work of killed nodes. */
export async function untilOnTime({ rows }: SharedDatabase, maxMs: number): Promise<void> {
  const limit = Date.now() + maxMs;
  const late = `
    select from jobs where kind in ('runs.schedule', 'sdk.scheduled_job')
       and (claimed_at is not null or due_at <= clock_timestamp())`;
  while ((await rows(late)).length > 0 && Date.now() < limit) await pause(LOOK_MS);
}

/** Ends the leases of killed nodes, for tests that cannot wait until they expire. */
export async function endLeases({ rows }: SharedDatabase, killedAtMs: number): Promise<void> {
  const died = new Date(killedAtMs);
  await rows("update jobs set due_at = now() where claimed_at is not null and claimed_at < $1", [
    died,
  ]);
  await rows(
    "update scheduled_jobs set claimed_until = now() where claim is not null and began_at < $1",
    [died],
  );
}
