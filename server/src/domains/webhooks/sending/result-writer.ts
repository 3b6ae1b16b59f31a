import { setTimeout as delay } from "node:timers/promises";
import type { Platform } from "#kernel/contract.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import { markDeadLetter } from "./dead-letter.ts";
import { saveResults, type DeliveryResult } from "./attempt-result.ts";

const BATCH_MAX = 500;
/** The time for which results are collected, so that one statement writes many. */
const GATHER_MS = 5;
const IDLE_MS = 60_000;
const WRITTEN_MAX_MS = 500;

/** Writes the results of attempts in batches, and retries until each is written. */
export class ResultWriter {
  readonly #platform: Platform;
  readonly #onWritten: (results: readonly DeliveryResult[]) => void;
  readonly #waiting: DeliveryResult[] = [];
  readonly #waiters: (() => void)[] = [];
  readonly #loop: Loop;

  constructor(platform: Platform, onWritten: (results: readonly DeliveryResult[]) => void) {
    this.#platform = platform;
    this.#onWritten = onWritten;
    const onFailure = (error: unknown): void =>
      platform.log.error({ err: error }, "can't save the outcomes of deliveries");
    this.#loop = new Loop(() => this.#step(), onFailure, GATHER_MS);
  }

  add(result: DeliveryResult): void {
    this.#waiting.push(result);
    this.#loop.wake();
  }

  /** Resolves at the next write, or after a timeout. */
  async nextWrite(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.push(resolve);
    await Promise.race([promise, delay(WRITTEN_MAX_MS)]);
  }

  /** Writes the remaining results, then ends. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    while (this.#waiting.length > 0) await this.#step();
  }

  async #step(): Promise<LoopNext> {
    const batch = this.#waiting.slice(0, BATCH_MAX);
    const failed = batch.filter(({ verdict }) => verdict.kind === "failed");
    const others = batch.filter(({ verdict }) => verdict.kind !== "failed");
    if (others.length > 0) await this.#write(others, () => saveResults(this.#platform, others));
    for (const result of failed)
      await this.#write([result], () => markDeadLetter(this.#platform, result));
    return this.#waiting.length > 0 ? "again" : IDLE_MS;
  }

  /** Keeps results that could not be written, and writes them with the next batch. */
  async #write(results: readonly DeliveryResult[], write: () => Promise<void>): Promise<void> {
    await write();
    const nextWrite = new Set(results);
    const left = this.#waiting.filter((result) => !nextWrite.has(result));
    this.#waiting.splice(0, this.#waiting.length, ...left);
    this.#onWritten(results);
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
