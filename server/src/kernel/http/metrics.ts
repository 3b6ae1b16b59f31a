import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Kernel } from "../kernel.ts";
import { listQueues, listReaderLags } from "../monitor/work-status.ts";
import type { RegistryMetric } from "../telemetry/metric-producer.ts";
import { type DomainGauge, DomainGaugePoint } from "../telemetry/domain-gauge.ts";
import { contributionsTo } from "../extension-point.ts";
import { withTimeout } from "./with-timeout.ts";

/** Database metrics are omitted after this time, because metrics are most important when the database is slow. */
const COUNT_TIMEOUT_MS = 3_000;

let processRegistry: Registry | undefined;

/**
 * Heap, garbage collection and event loop metrics. One registry per process, because the observers are never
 * disconnected, and created on demand, because it wakes the event loop a hundred times a second.
 */
function processMetrics(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** Prometheus metrics: requests, reader lag, due and failed jobs. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #kernel: Kernel;
  readonly #behind: Gauge<"reader">;
  readonly #due: Gauge<"kind">;
  readonly #failed: Gauge<"kind">;
  readonly #up: Gauge;
  /** Gauges contributed by domains, with their read functions. */
  readonly #gauges: readonly { readonly gauge: Gauge; readonly read: DomainGauge["read"] }[];
  #counting: Promise<void> | undefined;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    const registers = [this.#registry];
    kernel.monitor.requests.register(this.#registry);
    this.#behind = new Gauge({
      name: "millrace_reader_events_behind",
      help: "Events after the reader's cursor, counted up to 10000.",
      labelNames: ["reader"],
      registers,
    });
    this.#due = new Gauge({
      name: "millrace_jobs_due",
      help: "Jobs that are due.",
      labelNames: ["kind"],
      registers,
    });
    this.#failed = new Gauge({
      name: "millrace_jobs_failed",
      help: "Jobs that failed all attempts.",
      labelNames: ["kind"],
      registers,
    });
    this.#gauges = contributionsTo(DomainGaugePoint, kernel.contributions).map(
      ({ name, help, read }) => ({ gauge: new Gauge({ name, help, registers }), read }),
    );
    this.#up = new Gauge({
      name: "millrace_database_up",
      help: "1 if the database responded in time, else 0. With 0, the metrics from the database are omitted.",
      registers,
    });
    new Gauge({
      name: "millrace_log_epoch",
      help: "The epoch of the log. It increases when a standby takes over and when the database is restored.",
      registers,
      collect() {
        this.set(kernel.commitFeed.epoch);
      },
    });
    new Gauge({
      name: "millrace_events_lost",
      help: "Events that this process had read, but that the database lost in a failover or restore.",
      registers,
      collect() {
        this.set(kernel.lostEvents);
      },
    });
    new Gauge({
      name: "millrace_database_waiting",
      help: "Requests waiting for a database connection.",
      registers,
      collect() {
        this.set(kernel.db.waiting);
      },
    });
  }

  /** Adds the numbers of open and refused connections. */
  watchConnections(count: () => { readonly open: number; readonly refused: number }): void {
    const registers = [this.#registry];
    new Gauge({
      name: "millrace_connections",
      help: "Open client connections.",
      registers,
      collect() {
        this.set(count().open);
      },
    });
    new Gauge({
      name: "millrace_connections_refused",
      help: "Connections closed immediately because of too many open connections.",
      registers,
      collect() {
        this.set(count().refused);
      },
    });
  }

  /** Metrics in the text format of Prometheus. */
  async render(): Promise<{ readonly type: string; readonly text: string }> {
    await this.#refresh();
    const texts = [processMetrics(), this.#registry].map((registry) => registry.metrics());
    return { type: this.#registry.contentType, text: (await Promise.all(texts)).join("\n") };
  }

  /** Raw metrics for an exporter. */
  async read(): Promise<readonly RegistryMetric[]> {
    await this.#refresh();
    const parts = [processMetrics(), this.#registry].map((registry) => registry.getMetricsAsJSON());
    // The registry's type omits the values of its metrics.
    return (await Promise.all(parts)).flat() as unknown as readonly RegistryMetric[];
  }

  async #refresh(): Promise<void> {
    try {
      this.#counting ??= this.#count().finally(() => {
        this.#counting = undefined;
      });
      await withTimeout(COUNT_TIMEOUT_MS, this.#counting);
      this.#up.set(1);
    } catch {
      // Old values must not be reported as current.
      const gauges = this.#gauges.map(({ gauge }) => gauge);
      for (const gauge of [this.#behind, this.#due, this.#failed, ...gauges]) gauge.reset();
      this.#up.set(0);
    }
  }

  async #count(): Promise<void> {
    const { db, clock } = this.#kernel;
    const now = clock.now();
    const [lags, queues] = await Promise.all([
      listReaderLags(db),
      listQueues(db, now),
      ...this.#gauges.map(async ({ gauge, read }) => gauge.set(await read(db))),
    ]);
    for (const { name, behind } of lags) this.#behind.set({ reader: name }, behind);
    this.#due.reset();
    this.#failed.reset();
    for (const { kind, due, failed } of queues) {
      this.#due.set({ kind }, due);
      this.#failed.set({ kind }, failed);
    }
  }
}
