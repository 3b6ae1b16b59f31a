import { JOB_EVERY_MS, TIMED_EVERY_MS } from "../furnish.ts";
import type { Check } from "./check.ts";

/** One execution of scheduled work. */
interface Execution {
  readonly due: number;
  readonly began: number;
  readonly ok: boolean;
}

/** Each due time was executed once. A missing one had passed when the previous one was executed. */
export const checkSchedules: Check = async ({ database, furniture, retiredAtMs }) => {
  const timed: Execution[] = await database.rows(
    `select extract(epoch from (trigger ->> 'scheduledFor')::timestamptz)::float8 * 1000 as due,
            extract(epoch from created_at)::float8 * 1000 as began, status = 'completed' as ok
       from runs where workflow_id = $1 order by 1, 2`,
    [furniture.timed],
  );
  const jobs: Execution[] = await database.rows(
    `select extract(epoch from due_at)::float8 * 1000 as due,
            extract(epoch from started_at)::float8 * 1000 as began, status = 'completed' as ok
       from artifact_executions where artifact_id = $1 order by 1, 2`,
    [furniture.job],
  );
  const ticks = await database.rows(
    "select data ->> 'dueAt' as due from events where type = 'tick.told'",
  );
  const told = new Set(ticks.map(({ due }) => Date.parse(due)));
  return {
    line: `${timed.length} due times of a schedule and ${jobs.length} of a scheduled job were executed, once each`,
    faults: [
      ...wrongOf("the schedule", timed, { everyMs: TIMED_EVERY_MS, retiredAtMs }),
      ...wrongOf("the scheduled job", jobs, { everyMs: JOB_EVERY_MS, retiredAtMs }),
      ...(ticks.length === told.size ? [] : ["the scheduled job told of a time twice"]),
      ...jobs.filter(({ due }) => !told.has(due)).map(({ due }) => `nobody told of ${timeOf(due)}`),
    ],
  };
};

interface Schedule {
  readonly everyMs: number;
  readonly retiredAtMs: number;
}

function wrongOf(
  what: string,
  executions: readonly Execution[],
  { everyMs, retiredAtMs }: Schedule,
): string[] {
  const faults: string[] = [];
  for (const [at, { due, began, ok }] of executions.entries()) {
    if (!ok) faults.push(`${what} did not complete at ${timeOf(due)}`);
    // The last one may have been due when the schedule was switched off.
    const nextDue = executions[at + 1]?.due ?? retiredAtMs;
    if (nextDue === due) faults.push(`${what} was executed twice for ${timeOf(due)}`);
    // A late execution replaces exactly the due times that had passed by then.
    const expected = Math.max(due + everyMs, Math.floor(began / everyMs + 1) * everyMs);
    if (nextDue > expected) faults.push(`${what} was not executed for ${timeOf(expected)}`);
  }
  return faults;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
