import type { LogTail } from "./log-tail.ts";
import { quantileMs, RequestTimes } from "./request-times.ts";

/** One sample every 15 seconds, for one hour. */
const SAMPLE_MS = 15_000;
const SAMPLES_MAX = 240;
const NO_BUCKETS: readonly number[] = [];

/** The load of the process in the seconds before the sample. */
export interface ProcessSample {
  readonly at: string;
  readonly requestsPerSecond: number;
  /** Responses with a status of 500 or higher. */
  readonly failuresPerSecond: number;
  /** The upper bound of the bucket below which 95 of 100 responses were. Null without responses. */
  readonly p95Ms: number | null;
  /** The share of one core. */
  readonly cpuShare: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** The longest event loop delay. */
  readonly loopDelayMs: number;
  readonly databaseWaiting: number;
  readonly connections: number;
}

/** Provides values that the sampler cannot measure itself. */
export interface SampledProcess {
  takeLoopDelayMs(): number;
  databaseWaiting(): number;
  connections(): number;
}

interface Totals {
  readonly atMs: number;
  readonly count: number;
  readonly failures: number;
  readonly buckets: readonly number[];
  readonly cpuMicroseconds: number;
}

/** Recent load and log of this process, in memory only. Each node reports its own values. */
export class ProcessMonitor {
  readonly startedAt = new Date(performance.timeOrigin);
  readonly requests = new RequestTimes();
  readonly logTail: LogTail;
  readonly #samples: ProcessSample[] = [];

  constructor(logTail: LogTail) {
    this.logTail = logTail;
  }

  /** Oldest first. */
  get samples(): readonly ProcessSample[] {
    return this.#samples;
  }

  startSampling(sampled: SampledProcess): { stop(): void } {
    let before = this.#count();
    const timer = setInterval(() => {
      const now = this.#count();
      this.#samples.push(takeSample(sampled, before, now));
      if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
      before = now;
    }, SAMPLE_MS).unref();
    return { stop: () => clearInterval(timer) };
  }

  #count(): Totals {
    const all = this.requests.summarise();
    const { user, system } = process.cpuUsage();
    return {
      atMs: performance.now(),
      count: all.reduce((sum, { count }) => sum + count, 0),
      failures: all.reduce((sum, { failures }) => sum + failures, 0),
      buckets: all.reduce((sum, { buckets }) => addUp(sum, buckets), NO_BUCKETS),
      cpuMicroseconds: user + system,
    };
  }
}

function takeSample(sampled: SampledProcess, before: Totals, now: Totals): ProcessSample {
  const seconds = Math.max(0.001, (now.atMs - before.atMs) / 1_000);
  const count = now.count - before.count;
  const buckets = now.buckets.map((value, index) => value - (before.buckets[index] ?? 0));
  const { rss, heapUsed } = process.memoryUsage();
  return {
    at: new Date().toISOString(),
    requestsPerSecond: round(count / seconds),
    failuresPerSecond: round((now.failures - before.failures) / seconds),
    p95Ms: count === 0 ? null : (quantileMs({ buckets, count }, 0.95) ?? null),
    cpuShare: round((now.cpuMicroseconds - before.cpuMicroseconds) / 1e6 / seconds),
    residentBytes: rss,
    heapBytes: heapUsed,
    loopDelayMs: round(sampled.takeLoopDelayMs()),
    databaseWaiting: sampled.databaseWaiting(),
    connections: sampled.connections(),
  };
}

function addUp(one: readonly number[], other: readonly number[]): readonly number[] {
  return other.map((value, index) => value + (one[index] ?? 0));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
