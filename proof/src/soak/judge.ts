import { median } from "../../../bench/src/statistics.ts";
import { latencyOf, type Outcome } from "./load.ts";
import type { Memory } from "./memory.ts";
import type { Sample, TableSize } from "./sample.ts";
import { part, perMinute } from "./trend.ts";

/** The collected data. */
export interface Evidence {
  readonly minutes: number;
  readonly keptMinutes: number;
  readonly outcome: Outcome;
  readonly samples: readonly Sample[];
  readonly memory: readonly Memory[];
  /** The remaining work some time after the end of the load. */
  readonly left: Sample;
  /** Warnings and errors in the product's log. */
  readonly complaints: readonly string[];
}

/** One rule, its result, and the measured values. */
export interface Ruling {
  readonly rule: string;
  readonly held: boolean;
  readonly seen: string;
}

const RISE_MAX_MIB_PER_MINUTE = 1;
const PEAK_MAX = 1.3;
/** A linear trend over fewer minutes shows mostly the warm-up. */
const TREND_MINUTES_MIN = 10;
/** Pruning runs once a minute and takes a moment. */
const PRUNE_SLACK_S = 100;
const QUEUE_MAX = 500;
const HOT_TABLE_MAX_KIB = 4_096;

/** Small tables with frequent writes, which must not grow. */
const HOT = [
  "readers",
  "lanes",
  "lane_nodes",
  "jobs",
  "topic_counts",
  "ticket_numbers",
  "scheduled_jobs",
];
/** Tables that grow and are pruned. */
const PRUNED = [
  "events",
  "deliveries",
  "runs",
  "run_journal",
  "artifact_executions",
  "idempotency_keys",
  "message_keys",
  "sessions",
  "notifications",
  "exports",
  "export_chunks",
  "app_embed_tokens",
  "orders",
];

/** Evaluates all rules. */
export function judge(evidence: Evidence): Ruling[] {
  return [
    ...answers(evidence),
    ...memory(evidence),
    ...queues(evidence),
    ...ages(evidence),
    ...sizes(evidence),
  ];
}

function answers({ outcome, complaints, left }: Evidence): Ruling[] {
  const [early, late] = [latencyOf(outcome, 0.1, 0.4), latencyOf(outcome, 2 / 3, 1)];
  const words = ({ p50Ms, p99Ms }: typeof early) => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(0)} ms`;
  return [
    {
      rule: "every answer is one that should be",
      held: outcome.faulty === 0,
      seen: `${outcome.faulty} of ${outcome.answered} were not`,
    },
    {
      rule: "the rate is kept",
      held: outcome.leftOut <= outcome.sent / 1_000,
      seen: `${outcome.sent} sent, ${outcome.leftOut} left out`,
    },
    {
      rule: "the last third is answered as fast as the first",
      held: late.p50Ms <= early.p50Ms * 1.5 + 2 && late.p99Ms <= early.p99Ms * 1.5 + 20,
      seen: `p50 / p99 ${words(early)}, then ${words(late)}`,
    },
    {
      rule: "nothing is given up, parked, deadlocked or complained of",
      held: left.jobsFailed + left.parked + left.deadlocks + complaints.length === 0,
      seen: `${left.jobsFailed} jobs, ${left.parked} events, ${left.deadlocks} deadlocks, ${complaints.length} complaints`,
    },
  ];
}

function memory({ memory: all, samples, minutes }: Evidence): Ruling[] {
  const long = minutes >= TREND_MINUTES_MIN;
  const flat = (name: string, points: readonly (readonly [number, number])[]): Ruling => {
    const late = part(points, 1 / 3, 1);
    const values = late.map(([, value]) => value);
    const rise = perMinute(late);
    const [usual, peak] = [median(values), Math.max(...values)];
    const risen = long && rise > RISE_MAX_MIB_PER_MINUTE;
    return {
      rule: `${name} is flat`,
      held: values.length > 0 && !risen && peak <= usual * PEAK_MAX + 10,
      seen:
        `median ${usual.toFixed(0)} MiB, peak ${peak.toFixed(0)}, ${rise.toFixed(2)} MiB/min` +
        (long ? "" : " (too short to judge the rise)"),
    };
  };
  const heap = all.flatMap(({ atMs, heapMiB }) =>
    heapMiB === undefined ? [] : [[atMs, heapMiB] as const],
  );
  const handles = part(all, 1 / 3, 1).map((one) => one.handles);
  const lag = part(all, 1 / 3, 1).map((one) => one.lagP99Ms);
  return [
    flat(
      "the resident memory",
      all.map(({ atMs, rssMiB }) => [atMs, rssMiB]),
    ),
    flat("the heap after a collection", heap),
    flat(
      "the memory of its processes",
      samples.map(({ atMs, children }) => [atMs, children.rssMiB]),
    ),
    {
      rule: "handles do not pile up",
      held: Math.max(...handles) <= median(handles) * 2 + 50,
      seen: `median ${median(handles)}, peak ${Math.max(...handles)}; event loop late by ${median(lag).toFixed(0)} ms (p99, median)`,
    },
  ];
}

function queues({ samples, left }: Evidence): Ruling[] {
  return Object.keys(left.queues).map((name) => {
    const of = (some: readonly Sample[]) => some.map(({ queues: all }) => all[name] ?? 0);
    const [early, late] = [of(part(samples, 0, 1 / 3)), of(part(samples, 2 / 3, 1))];
    const rest = left.queues[name] ?? 0;
    return {
      rule: `no queue grows: ${name}`,
      held: rest === 0 && median(late) <= Math.max(median(early) * 2, QUEUE_MAX),
      seen: `median ${median(early)}, then ${median(late)}, peak ${Math.max(...of(samples))}; in the end ${rest}`,
    };
  });
}

/** Data with a retention time must not exist for much longer. */
function ages({ samples, keptMinutes, minutes }: Evidence): Ruling[] {
  if (minutes * 60 < keptMinutes * 60 + PRUNE_SLACK_S) return [];
  const kinds = Object.keys(samples.at(-1)?.oldestS ?? {});
  const kept = ["events", "deliveries", "runs", "artifact_executions"];
  return kinds.map((kind) => {
    const limitS = (kept.includes(kind) ? keptMinutes * 60 : 0) + PRUNE_SLACK_S;
    const oldest = Math.max(...samples.map(({ oldestS }) => oldestS[kind] ?? 0));
    return {
      rule: `pruning keeps up: ${kind}`,
      held: oldest <= limitS,
      seen: `the oldest was ${oldest.toFixed(0)} s past, ${limitS.toFixed(0)} s allowed`,
    };
  });
}

function sizes({ samples, keptMinutes, minutes }: Evidence): Ruling[] {
  const all = (table: string): TableSize[] =>
    samples.flatMap(({ tables }) => tables.filter((one) => one.table === table));
  const total = ({ heapKiB, indexKiB }: TableSize) => heapKiB + indexKiB;
  const last = (table: string) => all(table).at(-1);
  const dead = (one: TableSize | undefined) =>
    `${one?.live ?? 0} rows, ${one?.dead ?? 0} dead, vacuumed ${one?.vacuums ?? 0} times`;
  const hot = HOT.map((table) => ({
    rule: `stays small: ${table}`,
    held: Math.max(...all(table).map(total)) <= HOT_TABLE_MAX_KIB,
    seen: `at most ${Math.max(...all(table).map(total))} KiB; ${dead(last(table))}`,
  }));
  // By then, pruning equals growth, and freed space is reused.
  const settled = (3 * keptMinutes) / minutes;
  if (settled > 0.55) return hot;
  const pruned = PRUNED.map((table) => {
    const [before, after] = [part(all(table), settled, 0.7), part(all(table), 0.85, 1)].map(
      (some) => median(some.map(total)),
    );
    return {
      rule: `stops growing: ${table}`,
      held: (after ?? 0) <= (before ?? 0) * 1.2 + 1_024,
      seen: `${before} KiB, then ${after} KiB; ${dead(last(table))}`,
    };
  });
  return [...hot, ...pruned];
}
