import type { Registry } from "prom-client";

const NAME = "millrace_request_duration_seconds";
const HELP = "Response time by operation and status.";
/** The upper bounds of the buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5] as const;

interface DurationCounts {
  readonly operation: string;
  readonly status: number;
  /** The count per bucket and beyond the last, not cumulative. */
  readonly counts: number[];
  sum: number;
}

/** The response times of one operation since the start of the process. */
export interface OperationTimes {
  readonly operation: string;
  /** The count per bucket, except the last, which has no upper bound. */
  readonly buckets: readonly number[];
  readonly count: number;
  /** Responses with a status of 500 or higher. */
  readonly failures: number;
  readonly totalMs: number;
}

/**
 * The upper bound in milliseconds of the bucket below which this share of the responses was. Undefined beyond
 * the last bucket.
 */
export function quantileMs(
  { buckets, count }: Pick<OperationTimes, "buckets" | "count">,
  share: number,
): number | undefined {
  let seen = 0;
  const index = buckets.findIndex((inBucket) => (seen += inBucket) >= count * share);
  const end = BUCKETS[index];
  return end === undefined ? undefined : end * 1_000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The histogram of request durations. It is written with every response and rarely read, so a write is two
 * look-ups and two additions, and reading does the rest.
 */
export class RequestTimes {
  readonly #counts = new Map<string, Map<number, DurationCounts>>();

  /** Adds the histogram to the exported metrics. */
  register(registry: Registry): void {
    registry.registerMetric({
      name: NAME,
      get: async () => ({
        name: NAME,
        help: HELP,
        type: "histogram",
        aggregator: "sum",
        values: this.#values(),
      }),
      // prom-client requires the result of `get`, and a method to reset it.
      reset: () => this.#counts.clear(),
    } as unknown as Parameters<Registry["registerMetric"]>[0]);
  }

  observe(operation: string, status: number, seconds: number): void {
    let statuses = this.#counts.get(operation);
    if (!statuses) this.#counts.set(operation, (statuses = new Map()));
    let durations = statuses.get(status);
    if (!durations) {
      const counts = Array.from({ length: BUCKETS.length + 1 }, () => 0);
      statuses.set(status, (durations = { operation, status, counts, sum: 0 }));
    }
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket += 1;
    durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
    durations.sum += seconds;
  }

  /** The times per operation, for all statuses together. */
  summarise(): readonly OperationTimes[] {
    return this.#counts
      .entries()
      .map(([operation, statuses]) => {
        const all = [...statuses.values()];
        return {
          operation,
          buckets: BUCKETS.map((_, index) => sum(all.map(({ counts }) => counts[index] ?? 0))),
          count: sum(all.flatMap(({ counts }) => counts)),
          failures: sum(all.flatMap(({ status, counts }) => (status >= 500 ? counts : []))),
          totalMs: sum(all.map((one) => one.sum)) * 1_000,
        };
      })
      .toArray();
  }

  #values(): object[] {
    return this.#counts
      .values()
      .flatMap((statuses) => statuses.values())
      .flatMap(toValues)
      .toArray();
  }
}

function toValues({ operation, status, counts, sum }: DurationCounts): object[] {
  const labels = { operation, status };
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return {
      metricName: `${NAME}_bucket`,
      labels: { ...labels, le: BUCKETS[index] ?? "+Inf" },
      value: total,
    };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: total },
  ];
}
