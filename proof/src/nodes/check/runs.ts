import { eventIdOf } from "../../../../server/src/kernel/log/event.ts";
import { type Check, differences, type Evidence, isExcused } from "./check.ts";
import { tableOf } from "./state.ts";

const STEPS = "call,keep,add,receipt,answer";

interface Run {
  readonly id: string;
  readonly n: number;
  readonly status: string;
  readonly error: string | null;
  readonly sum: number;
  readonly event_id: string | null;
  readonly types: string;
  readonly steps: string;
}

/** Each event and each request has one completed run with each step once, and its effects exist once. */
export const checkRuns: Check = async (evidence) => {
  const { database, ledger, furniture } = evidence;
  const runs: Run[] = await database.rows(RUNS, [[furniture.reacting, furniture.asked]]);
  const events = await database.rows(
    "select epoch, xid, seq from events where type = 'order.placed'",
  );
  const eventIds = events.map(({ epoch, xid, seq }) =>
    eventIdOf({ epoch, xid: Number(xid), seq: Number(seq) }),
  );
  const reactions = runs.filter(({ event_id }) => event_id !== null);
  const asked = runs.filter(({ event_id }) => event_id === null);
  const receipts = await database.rows(
    `select run || ' ' || n as what from ${await tableOf(database, "receipts")}`,
  );
  const calls = callsOf(evidence, runs);
  return {
    line: `${reactions.length} runs of events and ${asked.length} of requests have completed, each with its steps and its record once; ${calls.repeated} calls of steps were repeated, under the same key`,
    faults: [
      ...runs.flatMap(wrongOf),
      ...differences(
        "runs by event",
        eventIds,
        reactions.map(({ event_id }) => event_id ?? ""),
      ),
      ...differences(
        "runs by request",
        ledger.of("request").map(({ data }) => String(data.runId)),
        asked.map(({ id }) => id),
      ),
      ...differences(
        "receipts",
        runs.map(({ id, n }) => `${id} ${n}`),
        receipts.map(({ what }) => what),
      ),
      ...calls.faults,
    ],
  };
};

const RUNS = `
  select r.id, r.status, r.error::text as error, r.event_id, (r.output -> 'body' ->> 'sum')::int as sum,
         coalesce(r.trigger -> 'input' ->> 'n', r.trigger -> 'event' -> 'data' ->> 'n')::int as n,
         (select string_agg(e.type, ',' order by e.epoch, e.xid, e.seq) from events e
           where e.resource_id = r.id) as types,
         (select string_agg(line ->> 'path', ',' order by j.entry, at) from run_journal j
           cross join jsonb_array_elements(j.records) with ordinality as one (line, at)
           where j.run_id = r.id and line ->> 'status' = 'completed') as steps
    from runs r where r.workflow_id = any($1)`;

function wrongOf({ id, n, status, error, sum, types, steps }: Run): string[] {
  const faults: string[] = [];
  if (status !== "completed") faults.push(`run ${id} is ${status}: ${error}`);
  if (sum !== 3 * n) faults.push(`run ${id} of ${n} came to ${sum}`);
  if (types !== "workflow.run_started,workflow.run_completed")
    faults.push(`run ${id} told ${types}`);
  if (steps !== STEPS) faults.push(`run ${id} has completed ${steps}`);
  return faults;
}

/** Each run made its external call with one key, and repeated it only after a kill. */
function callsOf(evidence: Evidence, runs: readonly Run[]) {
  let repeated = 0;
  const faults: string[] = [];
  for (const [key, { atMs }] of evidence.receiver.calls) {
    const [first = 0] = atMs;
    for (const againAtMs of atMs.slice(1)) {
      repeated += 1;
      if (!isExcused(evidence, first, againAtMs))
        faults.push(`step ${key} called twice for no reason`);
    }
  }
  const expected = runs.map(({ id, n }) => `${id} ${n}`);
  const found = [...evidence.receiver.calls].map(
    ([key, { n }]) => `${key.slice(0, key.indexOf(":"))} ${n}`,
  );
  return { repeated, faults: [...faults, ...differences("keys of steps", expected, found)] };
}
