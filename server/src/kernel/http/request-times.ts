import type { Registry } from "prom-client";

const NAME = "millrace_request_duration_seconds";
const HELP = "Time to answer, by operation and status.";
/** The upper ends of the buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5] as const;

/** How long answers took, of one operation with one status. */
interface Tally {
  readonly operation: string;
  readonly status: number;
  /** In each bucket, and beyond the last; not yet added up. */
  readonly counts: number[];
  sum: number;
}

/**
 * The histogram of all answers. It is written with every answer and read now and then, so that writing is
 * two look-ups and two sums, and all else is left to the reading.
 */
export class RequestTimes {
  readonly #tallies = new Map<string, Map<number, Tally>>();

  constructor(registry: Registry) {
    registry.registerMetric({
      name: NAME,
      get: async () => ({
        name: NAME,
        help: HELP,
        type: "histogram",
        aggregator: "sum",
        values: this.#values(),
      }),
      // prom-client asks for what `get` gives, and for a way to forget it.
      reset: () => this.#tallies.clear(),
    } as unknown as Parameters<Registry["registerMetric"]>[0]);
  }

  observe(operation: string, status: number, seconds: number): void {
    let statuses = this.#tallies.get(operation);
    if (!statuses) this.#tallies.set(operation, (statuses = new Map()));
    let tally = statuses.get(status);
    if (!tally) {
      const counts = Array.from({ length: BUCKETS.length + 1 }, () => 0);
      statuses.set(status, (tally = { operation, status, counts, sum: 0 }));
    }
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket += 1;
    tally.counts[bucket] = (tally.counts[bucket] ?? 0) + 1;
    tally.sum += seconds;
  }

  #values(): object[] {
    return this.#tallies
      .values()
      .flatMap((statuses) => statuses.values())
      .flatMap(valuesOf)
      .toArray();
  }
}

function valuesOf({ operation, status, counts, sum }: Tally): object[] {
  const labels = { operation, status };
  let upTo = 0;
  const buckets = counts.map((count, at) => {
    upTo += count;
    return {
      metricName: `${NAME}_bucket`,
      labels: { ...labels, le: BUCKETS[at] ?? "+Inf" },
      value: upTo,
    };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: upTo },
  ];
}
