import { setTimeout as pause } from "node:timers/promises";
import type { Figure } from "../figure.ts";
import { load } from "../load.ts";
import { asMember, newNotes } from "../request.ts";
import type { Rig } from "../rig.ts";
import { READERS } from "../tally.ts";

const EVENTS = 20_000;
const CATCH_UP_MAX_MS = 120_000;
const NEXT_LOOK_MS = 1_500;

interface Account {
  readonly reader: string;
  readonly missed: number;
  readonly doubled: number;
  readonly disordered: number;
  readonly lag_p50_ms: number;
  readonly lag_p99_ms: number;
  readonly lag_max_ms: number;
}

/** Compares the events seen by each reader with the log. */
const ACCOUNTS = `
  with log as (
    select epoch, xid::text::bigint as xid, seq, created_at from events where type = 'note.created'),
  seen as (
    select *, lag((epoch, xid, seq)) over (partition by reader order by at) > (epoch, xid, seq) as late
      from tally)
  select r.reader,
         (select count(*) from log where not exists (
            select from seen s where s.reader = r.reader and (s.epoch, s.xid, s.seq) = (log.epoch, log.xid, log.seq)
         ))::int as missed,
         count(s.*)::int - count(distinct (s.epoch, s.xid, s.seq))::int as doubled,
         count(*) filter (where s.late)::int as disordered,
         percentile_cont(0.5) within group (order by ms)::float8 as lag_p50_ms,
         percentile_cont(0.99) within group (order by ms)::float8 as lag_p99_ms,
         max(ms)::float8 as lag_max_ms
    from unnest($1::text[]) as r (reader)
    left join seen s using (reader)
    left join log l on (l.epoch, l.xid, l.seq) = (s.epoch, s.xid, s.seq)
    cross join lateral (select extract(epoch from s.seen_at - l.created_at) * 1000 as ms) as lag
   group by r.reader order by r.reader`;

const THROUGHPUT = `
  select (count(distinct (l.epoch, l.xid, l.seq))
           / extract(epoch from max(t.seen_at) - min(l.created_at)))::float8 as per_second
    from events l join tally t on (t.epoch, t.xid, t.seq) = (l.epoch, l.xid::text::bigint, l.seq)`;

/** Sixteen writers append. Four readers must each see every event once and in order. */
export const readers: Figure = {
  name: "readers",
  async measure(rig) {
    const product = await rig.startProduct({ readers: "on" });
    const next = newNotes("/api/v1/notes", asMember(product.token));
    const writing = await load({ port: product.port, status: 201, next }, { count: EVENTS });
    await caughtUp(rig);
    // A duplicate would appear with the readers' next read of the log.
    await pause(NEXT_LOOK_MS);
    const accounts = await rig.query<Account>(ACCOUNTS, [READERS]);
    const faults = accounts.filter((one) => one.missed + one.doubled + one.disordered > 0);
    if (accounts.length !== READERS.length || faults.length > 0) {
      throw new Error(`Readers miscounted: ${JSON.stringify(accounts)}`);
    }
    const [through] = await rig.query<{ per_second: number }>(THROUGHPUT);
    const perSecond = through?.per_second ?? 0;
    const most = (of: (one: Account) => number): string => Math.max(...accounts.map(of)).toFixed(0);
    return {
      ours: `${Math.round(perSecond)}/s`,
      target: "each event once",
      reached: true,
      notes: [
        `${EVENTS} events, ${READERS.length} readers: none missed, none doubled, all in order`,
        `from the first act to the last reader's write; the writers alone: ${Math.round(writing.perSecond)}/s`,
        `lag from an act to a reader's write: p50 ${most((one) => one.lag_p50_ms)} ms, ` +
          `p99 ${most((one) => one.lag_p99_ms)} ms, most ${most((one) => one.lag_max_ms)} ms`,
      ],
      values: { perSecond, writing, accounts },
    };
  },
};

/** Waits until the readers have written at least the expected number of rows. */
async function caughtUp(rig: Rig): Promise<void> {
  const limit = performance.now() + CATCH_UP_MAX_MS;
  while (performance.now() < limit) {
    const [row] = await rig.query<{ n: number }>("select count(*)::int as n from tally");
    if ((row?.n ?? 0) >= EVENTS * READERS.length) return;
    await pause(100);
  }
  throw new Error(`The readers did not catch up in ${CATCH_UP_MAX_MS} ms.`);
}
